"""The refund desk at a real tracker and real books, with the stand-in for its model."""

import pytest
from pytest_django import Settings

from tests.servers.shop import Shop


@pytest.fixture
def shop(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop of the tenant acme; the desk's tools and nodes find it in the environment."""
    settings.KEDGE_MODEL_URL = ""
    shop = Shop("acme")
    for name, value in shop.values().items():
        monkeypatch.setenv(name, value)
    return shop
