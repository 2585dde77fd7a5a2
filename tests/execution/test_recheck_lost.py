"""A run of which the record lacks an effect proposes nothing before that effect is settled."""

from django.db import transaction

from canonical.redaction import ours
from checkpoints import answered, cases, holding, runs
from checkpoints.models import Case, Run
from reconciliation.behind import asking, comparing, enlisting, settling
from reconciliation.behind.models import MissingLine
from reconciliation.models import Action
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.reconciliation.behind import restores

MACHINE = Actor.machine("test")
WHY = ours("Another effect of it was settled.")


def let_go(run: Run) -> None:
    """What happens as the case of an earlier lost effect closes."""
    with transaction.atomic():
        _, case = cases.locked(Case.objects.get(run=run, closed_at=None).pk)
        answered.close(case, because=WHY, actor=MACHINE)
        runs.release_hold(run.pk, sentence=WHY)


def test_a_run_with_a_lost_effect_that_is_open_proposes_nothing(engine: Bench) -> None:
    run = restores.begin(engine)
    with restores.lost():
        engine.turn()
        engine.decide(run)
        engine.turn()
    comparing.compare()
    assert MissingLine.objects.get().lacks == "action"
    let_go(run)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "record_behind")
    assert not Action.objects.exists()
    assert Case.objects.get(run=run, closed_at=None).facts["attempt"] == str(
        MissingLine.objects.get().attempt_id
    )


def test_a_case_about_a_line_that_was_settled_meanwhile_asks_nobody(engine: Bench) -> None:
    """Found by `make restores`: a worker saw the line open, and held its run as it was settled."""
    run = restores.begin(engine)
    with restores.lost():
        restores.to_the_end(engine, run)
    comparing.compare()
    line = MissingLine.objects.get()
    assert asking.ask(line) == "there"
    with transaction.atomic():
        locked = Run.objects.select_for_update().get(pk=run.pk)
        holding.hold_now(locked, enlisting.trouble(line, None), actor=MACHINE)
    settling.settle_known()
    run.refresh_from_db()
    assert run.status == "queued"
    assert not Case.objects.filter(closed_at=None).exists()
