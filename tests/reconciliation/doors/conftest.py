"""Doors that close after five unknowns in a row, as they do by default."""

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def five_in_a_row(settings: Settings) -> None:
    settings.KEDGE_DOOR_UNKNOWNS = 5
