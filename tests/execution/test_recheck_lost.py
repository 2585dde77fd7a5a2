"""A run of which the record lacks an effect proposes nothing before that effect is settled."""

from django.db import transaction

from canonical.redaction import ours
from checkpoints import answered, cases, runs
from checkpoints.models import Case, Run
from reconciliation.behind import comparing
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
