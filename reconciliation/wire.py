"""What left against what was approved: other bytes on the wire need a person before the run goes on."""

from typing import Final

from checkpoints import states
from checkpoints.cases import Trouble
from checkpoints.models import Case
from reconciliation.models import Action, Receipt
from tenants.keys import hiding

ERROR: Final = "wire digest differs"


def mismatch(action: Action, receipt: Receipt) -> Trouble | None:
    """The trouble with what the tool says has left; None when it is what was approved, or no news.

    Judged from the receipt, not at the moment of sending: whoever takes the run over after a crash
    finds it too. A person is told once: a decided case is not opened again.
    """
    approved = bytes(action.parameters_digest).hex()
    if receipt.wire_digest in ("", approved) or _is_told(action):
        return None
    facts = hiding.texts(
        error=ERROR,
        tool=action.tool,
        target=action.target,
        approved=approved,
        sent=receipt.wire_digest,
    )
    said = f"Other bytes were sent than were approved for “{action.describe}”."
    return Trouble(states.CONTRADICTED, hiding.text(said), facts, action.id)


def _is_told(action: Action) -> bool:
    told = Case.objects.filter(run_id=action.run_id, action_id=action.id, facts__error=ERROR)
    return told.exists()
