"""What the push says of itself before it does anything."""

import pytest

from agents.tools.git.remotes import Registry
from agents.tools.git.tool import GitPush
from reconciliation.tools import Refused, Unanswered
from tests.agents.tools.git.conftest import MakeCall
from tests.contract.worlds import TENANT


def test_it_says_what_is_pushed_where_and_how_much(propose: MakeCall) -> None:
    given = propose({"src/anchor.py": b"DEPTH = 5\n", "README.md": None}).parameters
    tool = GitPush(Registry({}))
    assert tool.describe(given) == (
        f"Push commit {given['commit'][:12]} to main of ship (files: 2, lines: 4)."
    )
    assert tool.target(given) == "ship:main"
    assert tool.magnitude(given).as_json() == {"files": 2, "lines": 4, "deletions": 1}


def test_a_registry_that_fails_any_way_is_an_unknown_remote(propose: MakeCall) -> None:
    def broken(tenant: str, name: str) -> str:
        raise RuntimeError(f"{tenant} {name}: no disk")

    call = propose()
    for ask in (GitPush(broken).look_up, GitPush(broken).dry_run):
        with pytest.raises(Unanswered, match=f"{TENANT} ship: no disk"):
            ask(call)
    with pytest.raises(Refused, match="nothing was sent"):
        GitPush(broken).perform(call)
