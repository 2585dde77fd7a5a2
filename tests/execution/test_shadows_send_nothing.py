"""Every check that keeps a shadow from an effect is taken away, one after the other: the world stays as
it was, and PostgreSQL has the last word.
"""

from collections.abc import Callable
from itertools import accumulate
from typing import Final

import pytest
from django.db import DatabaseError, connection

from approvals import requests
from approvals.errors import QuestionRefusedError
from approvals.models import ApprovalRequest
from checkpoints.models import Run
from execution import shadowing
from reconciliation import actions
from reconciliation.errors import ForbiddenEffectError
from reconciliation.models import Action, Attempt
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import due
from tests.releases.shadows.beside import Stage, stage

Remove = Callable[[pytest.MonkeyPatch], None]


def _engine(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shadowing, "is_shadow", lambda _run: False)


def _question(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(requests, "LIVE_MODE", "shadow")


def _request_trigger(_patch: pytest.MonkeyPatch) -> None:
    _without("approvals_approvalrequest", "nobody_is_asked_for_a_shadow")


def _door(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(actions, "LIVE_MODE", "shadow")


def _run_trigger(_patch: pytest.MonkeyPatch) -> None:
    _without("checkpoints_run", "run_facts_hold")


# From the first that is met to the last; each with what refuses once all before it are gone.
CHECKS: Final[dict[str, tuple[Remove, str]]] = {
    "the engine stops at the dry run": (_engine, "nobody is asked for it"),
    "no question is put": (_question, "nobody_is_asked_for_a_shadow"),
    "no question is kept": (_request_trigger, "nothing of it is sent"),
    "the door out": (_door, "a_shadow_run_has_no_effect"),
    "no effect in flight": (_run_trigger, "a_shadow_run_has_no_intent"),
}
GONE: Final = list(accumulate([[name] for name in CHECKS]))


def _without(table: str, trigger: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")


def as_far_as_it_goes(made: Stage, twin: Run) -> str:
    """Take turns, say yes to whatever it asks, and return what refused in the end ("" for nothing)."""
    try:
        for _ in range(3):
            if ApprovalRequest.objects.filter(run=twin, state="open").exists():
                made.bench.decide(twin)
            due(twin)
            made.bench.turn()
    except (DatabaseError, ForbiddenEffectError, QuestionRefusedError) as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize("gone", GONE, ids=[each[-1] for each in GONE])
def test_whatever_is_taken_away_the_world_stays_as_it_was(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, gone: list[str]
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    Run.objects.filter(pk=live.pk).update(due_at=None)
    twin = made.begun(live)
    for name in gone:
        CHECKS[name][0](monkeypatch)
    refused = as_far_as_it_goes(made, twin)
    assert CHECKS[gone[-1]][1] in refused
    assert not effects()
    assert not Attempt.objects.exists()
    assert not (made.bench.world / "journal").exists()


@pytest.mark.parametrize("alone", CHECKS)
def test_one_check_that_is_missing_lets_nothing_through(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, alone: str
) -> None:
    made = stage(engine, monkeypatch)
    live = made.live()
    Run.objects.filter(pk=live.pk).update(due_at=None)
    twin = made.begun(live)
    CHECKS[alone][0](monkeypatch)
    as_far_as_it_goes(made, twin)
    assert not ApprovalRequest.objects.filter(run=twin).exists()
    assert not Attempt.objects.exists()
    assert not effects()
    assert Action.objects.get(run=twin).mode == "shadow"
