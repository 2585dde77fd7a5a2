"""Effect and void compete for one place of a real system: one of them wins, every time.

Those of git stand in tests/agents/tools/git/test_races.py.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from reconciliation.tools import Absent, Found, Refused, Sent, Voided
from tests.contract.conftest import WORLDS
from tests.contract.racing import at_once
from tests.contract.worlds import World, next_attempt

ROUNDS = 40


@pytest.fixture(params=["http_void", "sql", "objects"])
def raced(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = WORLDS[request.param][0](tmp_path)
    yield made
    made.close()


def test_of_void_and_effect_at_once_one_wins(raced: World) -> None:
    tool = raced.tool
    for _ in range(ROUNDS):
        call = raced.call()
        sent, voided = at_once(partial(tool.perform, call), partial(tool.void, next_attempt(call)))
        seen = tool.look_up(next_attempt(call))
        if isinstance(voided, Voided):
            assert not isinstance(sent, Sent | Refused)
            assert raced.effects(call.key) == 0
            assert isinstance(seen, Absent)
            assert seen.voided
        else:
            assert isinstance(sent, Sent)
            assert voided == Found(sent.receipt) == seen
            assert raced.effects(call.key) == 1
