"""The three numbers: counted from the rows that are there, and saying what they are counted from."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from checkpoints.models import Case, Recovery, Run
from execution.pages.figures import figures
from reconciliation.models import Action, LookUp
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.people import make_tenant


def recovery(run: Run, fence: int, ended: str, *, seconds: float = 1, days_ago: int = 0) -> None:
    noticed = timezone.now() - timedelta(days=days_ago, hours=1)
    over = noticed + timedelta(seconds=seconds)
    Recovery.objects.create(
        run=run,
        why="its worker is gone",
        interrupted_fence=fence,
        noticed_at=noticed,
        new_boundary_at=over if ended == "recovered" else None,
        ended=ended,
        ended_at=over if ended else None,
    )


def test_the_rate_is_of_those_begun_and_an_interrupted_recovery_is_one_with_the_next(
    engine: Bench,
) -> None:
    run = engine.start(steps=1)
    for fence, ended in enumerate(["recovered", "recovered", "by_person", "", "interrupted"]):
        recovery(run, fence, ended, seconds=fence + 1)
    recovery(run, 90, "recovered", days_ago=31)
    found = figures(engine.tenant)
    assert (found.begun, found.recovered, found.by_person, found.under_way) == (4, 2, 1, 1)
    assert found.rate_words == "50 %"
    assert found.p50 == pytest.approx(1.5)
    assert found.p95 == pytest.approx(1.95)


def test_nothing_begun_is_no_rate(engine: Bench) -> None:
    found = figures(engine.tenant)
    assert (found.rate_words, found.p50, found.p95) == ("\u2013", None, None)


def test_a_rate_is_cut_not_rounded(engine: Bench) -> None:
    run = engine.start(steps=1)
    for fence in range(1999):
        recovery(run, fence, "recovered")
    recovery(run, 2000, "by_person")
    assert figures(engine.tenant).rate_words == "99.9 %"


def test_recoveries_of_another_tenant_are_not_counted(engine: Bench) -> None:
    recovery(engine.start(steps=1), 1, "recovered")
    assert figures(make_tenant("elsewhere")).begun == 0


@pytest.mark.django_db(transaction=True)
def test_duplicates_say_how_many_effects_were_looked_up(engine: Bench) -> None:
    for tool in ("fake.void", "fake.look_up"):
        run = engine.start(steps=1, tool=tool, what=tool)
        engine.turn()
        engine.decide(run)
        engine.turn()
    assert (figures(engine.tenant).happened, figures(engine.tenant).checked) == (2, 0)
    action = Action.objects.filter(tool="fake.look_up").get()
    attempt = action.attempts.get()
    for answer in ("absent", "found", "found"):
        LookUp.objects.create(attempt=attempt, answer=answer, boot_id="b", boot_seconds=1.0)
    found = figures(engine.tenant)
    assert (found.happened, found.checked, found.duplicates) == (2, 1, 0)
    with by_force():
        Case.objects.create(
            tenant=engine.tenant,
            run=action.run,
            kind="duplicate_effect",
            sentence="twice",
            fingerprint=uuid4().hex,
        )
    assert figures(engine.tenant).duplicates == 1
