"""Killed right after a verdict was given or taken back, whoever did it, all of it is there."""

import signal
from collections.abc import Callable

import pytest

from checkpoints.models import Run, Superseded, Verdict
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tests.engine.turns import Bench
from tests.forks import fork
from tests.reconciliation.deskwork import unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)

UNDO = Given("compensate", "Wrong sum.", "Seen.")


def test_with_the_verdict_there_is_the_run_that_undoes(engine: Bench) -> None:
    case = unknown_mail(engine)
    killed(lambda: verdicts.give(case.pk, UNDO, user=engine.starter), "verdict:after@1")
    assert Run.objects.get(task_type="undo").status == "queued"
    assert Run.objects.get(task_type="steps").status == "queued"


def test_with_a_verdict_that_is_taken_back_goes_the_run_that_undoes(engine: Bench) -> None:
    case = unknown_mail(engine)
    given = verdicts.give(case.pk, UNDO, user=engine.starter)
    assert isinstance(given, Verdict)

    def take_back() -> None:
        verdicts.supersede(given.pk, reason="Right sum.", user=engine.starter)

    killed(take_back, "supersede verdict:after@1")
    assert Superseded.objects.count() == 1
    assert Run.objects.get(task_type="undo").cancel_requested_at is not None
    assert Run.objects.get(task_type="steps").status == "held"


def killed(act: Callable[[], object], point: str) -> None:
    assert fork(act, KEDGE_KILL_AT=point).wait() == -signal.SIGKILL
