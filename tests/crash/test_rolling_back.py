"""A rollback that is killed in every phase, before and after its commit, comes to the same end."""

from pathlib import Path

import pytest
from django.db import connection, connections

from releases.rollbacks import phases
from tests.crash import databases
from tests.crash.rolling_back import CHAIN, Stage


@pytest.mark.django_db(transaction=True)
def test_killed_in_every_phase_it_comes_to_the_same_end(tmp_path: Path) -> None:
    home = str(connection.settings_dict["NAME"])
    connections.close_all()
    try:
        with databases.copies(home, f"{home}_rolled", 2) as (quiet, hit):
            for name in (quiet, hit):
                (tmp_path / name).mkdir()
            expected, _last = Stage(quiet, tmp_path / quiet).prepared().ended()
            found, _last = Stage(hit, tmp_path / hit).prepared().ended(CHAIN)
    finally:
        databases.switch_to(home)
    assert expected["rollback"] == ["closed", "closed"]
    assert expected["phases"] == [*phases.SIX[1:], "closed"]
    assert len(expected["world"]) == len(set(expected["world"]))
    assert found == expected


def test_every_phase_is_killed_on_both_sides() -> None:
    assert len(CHAIN) == 2 * len(phases.SIX)
