"""Evidence that comes too late: after a contrary settlement, or beside a later intent."""

from checkpoints import cases, events, states
from checkpoints.cases import Trouble
from checkpoints.models import Case, Run
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import hiding

ENGINE = Actor.machine("worker")


def note_late_evidence(run: Run, action: Action, *, later_intent: bool) -> None:
    """Inside the receipt's transaction, run and action locked: tell people, once per run.

    `evidence_at` on the action already blocks every further dispatch. A run whose open case tells
    of something else keeps that case; the event says what came.
    """
    kind = states.DUPLICATE_EFFECT if later_intent else states.CONTRADICTED
    said = (
        "A second attempt was already out when the answer to the first arrived."
        if later_intent
        else f"The ledger says {action.outcome.replace('_', ' ')}, and now the effect was found."
    )
    events.append(run.id, "late evidence", ENGINE, action=action.id, kind=hiding.text(kind))
    if not Case.objects.filter(run=run, decided_at=None, closed_at=None).exists():
        trouble = Trouble(kind, said, {"error": kind, "target": action.target}, action.id)
        cases.open_case(run.tenant_id, run.id, trouble, actor=ENGINE)
