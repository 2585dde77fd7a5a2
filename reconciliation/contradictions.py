"""Evidence that comes too late: after a contrary settlement, or beside a later intent."""

from checkpoints import events, holding, states
from checkpoints.cases import Trouble
from checkpoints.models import Run
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import hiding

ENGINE = Actor.machine("worker")


def note_late_evidence(run: Run, action: Action, *, later_intent: bool) -> None:
    """Inside the receipt's transaction, run and action locked: hold the run and tell people.

    What was decided or sent on a wrong belief is a person's to look at before anything follows from
    it. A run that has ended stays so, and its case is open; one that is held already keeps its
    case, and the event says what came. `evidence_at` on the action blocks every further dispatch.
    """
    kind = states.DUPLICATE_EFFECT if later_intent else states.CONTRADICTED
    said = (
        "A second attempt was already out when the answer to the first arrived."
        if later_intent
        else f"The ledger says {action.outcome.replace('_', ' ')}, and now the effect was found."
    )
    events.append(run.id, "late evidence", ENGINE, action=action.id, kind=hiding.text(kind))
    facts = hiding.texts(error=kind, target=action.target)
    trouble = Trouble(kind, hiding.text(said), facts, action.id)
    holding.hold_now(run, trouble, actor=ENGINE)
