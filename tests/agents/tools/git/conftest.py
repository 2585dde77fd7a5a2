"""One remote, the tool that pushes to it, and calls that are ready to be performed."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.tools.git.building import build_commit
from agents.tools.git.remotes import Registry
from agents.tools.git.tool import GitPush
from reconciliation.tools import Call
from tests.agents.tools.git.remote import Remote
from tests.contract.worlds import TENANT, make_call, reference_to

MakeCall = Callable[..., Call]


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote(tmp_path / "ship.git")


@pytest.fixture
def tool(remote: Remote) -> GitPush:
    gone = f"file://{remote.folder.parent}/gone.git"
    return GitPush(Registry({(TENANT, "ship"): str(remote.folder), (TENANT, "gone"): gone}))


@pytest.fixture
def propose(remote: Remote) -> MakeCall:
    """Makes the call that pushes `changes` onto the head as it is now."""

    def make(
        changes: dict[str, bytes | None] | None = None, *, branch: str = "main", base: str = "head"
    ) -> Call:
        built = build_commit(
            str(remote.folder),
            remote.head() if base == "head" else base,
            changes or {"src/anchor.py": b"DEPTH = 5\n"},
            message="Go deeper",
            author="Kedge <kedge@example.org>",
            at=datetime(2026, 1, 2, tzinfo=UTC),
        )
        pack = reference_to(built.pack)
        parameters = built.parameters(remote="ship", branch=branch, pack=pack)
        return make_call(parameters, built.pack)

    return make
