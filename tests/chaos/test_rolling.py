"""Cases under rolling restarts are counted when everything has settled, not as the last worker is gone."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.chaos import checker, harness, options, rolling
from tests.chaos.arena import Arena
from tests.people import make_tenant
from tests.reconciliation.deskwork import held


@pytest.mark.django_db(transaction=True)
def test_a_case_that_is_opened_as_the_mails_settle_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What a restart left behind is found out by whoever takes its run over, later."""
    tenant = make_tenant()
    held(tenant, "crash_loop")
    monkeypatch.setattr(rolling, "roll", lambda *_: None)
    monkeypatch.setattr(checker, "wait_for_all", lambda _: held(tenant, "outcome_unknown"))
    asked = options.parse(["--runs", "0", "--restarts", "1"])
    arena = SimpleNamespace(load=SimpleNamespace(remotes=tmp_path, started={}))
    assert harness._mailing(asked, cast(Arena, arena)) == 1
