"""The dry run of a waiting request is made again, for real: what moved, and what could not be seen."""

from typing import Any

import pytest
from django.db import connection

from approvals.models import ApprovalRequest
from approvals.models.freshness import Freshness
from canonical import json as canonical
from checkpoints.models import Combo
from reconciliation import freshness
from reconciliation.tools import CredentialInvalid, DryRun, LookAgain, Unanswered
from tests.checkpoints.records import by_force
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import raises
from tests.execution.runs import waiting
from tests.reconciliation.oddtools import Odd, put

pytestmark = pytest.mark.django_db


def look(name: str = "fake.void") -> Freshness:
    """One look at the only request, due now."""
    Freshness.objects.update(due_at="2020-01-01T00Z")
    (claimed,) = freshness.claim(registry.TOOLS[name], room=1)
    assert freshness.look(claimed)
    return Freshness.objects.get()


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Odd:
    return put(monkeypatch, "fake.void")


def test_a_world_that_stands_still_is_equal(engine: Bench) -> None:
    waiting(engine)
    first = Freshness.objects.get().seen_at
    row = look()
    assert (row.verdict, row.error) == ("equal", "")
    assert row.seen_at > first


def test_a_base_that_moved_is_named_with_both_versions(engine: Bench) -> None:
    waiting(engine)
    (engine.world / "version").write_text("2")
    row = look()
    assert row.verdict == "moved"
    assert row.differences == [{"field": "resources.world", "saw": "1", "now": "2"}]


def test_rules_that_deny_it_now_are_something_that_moved(engine: Bench) -> None:
    run = waiting(engine)
    with by_force(("checkpoints_combo", "combo_digest_is_of_its_manifest")):
        now = canonical.loads_object(bytes(run.combo.manifest)) | {"rules": None}
        Combo.objects.filter(pk=run.combo_id).update(manifest=canonical.dumps(now))
    (difference,) = look().differences
    assert (difference["field"], difference["saw"]) == ("rules", "ask")


@pytest.mark.parametrize(
    "error", [Unanswered("silent"), ConnectionError("gone"), ValueError("never"), KeyError("x")]
)
def test_a_tool_that_cannot_say_leaves_what_was_seen_and_says_why(
    engine: Bench, odd: Odd, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    waiting(engine)
    monkeypatch.setattr(odd, "dry_run", raises(error))
    row = look()
    assert (row.verdict, row.failures) == ("equal", 1)
    assert row.error.startswith(type(error).__name__)


def test_a_credential_that_does_not_work_any_more_is_said(
    engine: Bench, odd: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(engine)
    monkeypatch.setattr(odd, "check_credential", raises(CredentialInvalid("revoked")))
    assert look().error == "CredentialInvalid: revoked"


def test_code_that_is_not_the_runs_own_says_nothing_about_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer tool version would see a move that no worker of the run would see."""
    waiting(engine)
    own = registry.manifest
    monkeypatch.setattr(registry, "manifest", lambda task_type: {**own(task_type), "code": "newer"})
    row = look()
    assert (row.verdict, row.error) == (
        "equal",
        "NotHereError: no process that looks has the code of this run",
    )


@pytest.mark.django_db(transaction=True)
def test_the_tool_is_called_outside_any_transaction_and_within_its_budget(
    engine: Bench, odd: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(engine)
    seen: list[Any] = []
    plain = odd.dry_run

    def watch(call: Any) -> DryRun:
        seen.append((connection.in_atomic_block, call.budget_seconds))
        return plain(call)

    monkeypatch.setattr(odd, "dry_run", watch)
    look()
    assert seen == [(False, odd.budget_seconds)]


def test_each_tool_is_looked_at_at_its_own_pace(
    engine: Bench, odd: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(odd, "look_again", LookAgain(every_seconds=3600, at_once=1))
    waiting(engine)
    row = look()
    assert row.due_at is not None
    assert (row.due_at - row.seen_at).total_seconds() == pytest.approx(3600, abs=5)


def test_a_request_that_is_damaged_has_moved(engine: Bench) -> None:
    waiting(engine)
    with by_force():
        ApprovalRequest.objects.update(parameters=b"{}")
    assert look().differences[0]["field"] == "parameters_digest"
