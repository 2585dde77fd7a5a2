"""The kinds of what needs a person: word, shape and colour of each, and what it means for the run."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from checkpoints import states
from checkpoints.models import Case
from reconciliation.pages.queries import APPROVAL, EDIT
from tenants.pills import Pill

PILLS: Final[dict[str, Pill]] = {
    APPROVAL: Pill(_("Approval"), "person", "person", final=False),
    EDIT: Pill(_("State by hand"), "person", "next", final=False),
    states.OUTCOME_UNKNOWN: Pill(_("Outcome unknown"), "unknown", "question", final=False),
    states.DUPLICATE_EFFECT: Pill(_("Duplicate effect"), "person", "copy", final=False),
    states.CONTRADICTED: Pill(_("Verdict contradicted"), "person", "undo", final=False),
    states.RECORD_BEHIND: Pill(_("Record behind the world"), "person", "clock", final=False),
    states.DAMAGED_CHECKPOINT: Pill(_("Damaged checkpoint"), "person", "problem", final=False),
    states.MISSING_BLOB: Pill(_("Missing blob"), "person", "empty", final=False),
    states.UNMIGRATABLE: Pill(_("Cannot be migrated"), "person", "slash", final=False),
    states.CRASH_LOOP: Pill(_("Crash loop"), "person", "loop", final=False),
    states.INVALID_OUTPUT: Pill(_("Invalid output"), "person", "cross", final=False),
    states.WORLD_CHANGED: Pill(_("The world changed"), "person", "problem", final=False),
    states.CREDENTIAL_INVALID: Pill(_("Credential invalid"), "person", "lock", final=False),
}
DECIDED: Final = Pill(_("Sent, not yet proven"), "itself", "loop", final=False)
CLOSED: Final = Pill(_("Closed"), "done", "check")

MEANS: Final[dict[str, str | Promise]] = {
    states.OUTCOME_UNKNOWN: _(
        "The tool cannot tell, so Kedge does not guess and does not send again. "
        "Somebody must look where the effect would be."
    ),
    states.DUPLICATE_EFFECT: _(
        "The effect may be in the world twice. Nothing more is sent for it until a person has looked."
    ),
    states.CONTRADICTED: _(
        "New evidence says something else than the ledger. Nothing more is sent for this effect."
    ),
    states.RECORD_BEHIND: _("The record is older than the world. Effects wait for a person."),
    states.DAMAGED_CHECKPOINT: _(
        "What was read back does not match its digest. The damaged bytes stay as they are; "
        "the run can go on from an intact checkpoint."
    ),
    states.MISSING_BLOB: _(
        "A large value that the state names is gone. Bring it back and try again, "
        "or go on from a checkpoint that does not need it."
    ),
    states.UNMIGRATABLE: _(
        "This code cannot read the state that older code left. The old bytes stay as they are. "
        "Deploy code with a migrator, then try again."
    ),
    states.CRASH_LOOP: _(
        "The same step keeps failing: its worker died there again and again, or the step itself "
        "raised an error. So it is not tried again by itself. "
        "Nothing that was sent is sent again when it goes on."
    ),
    states.INVALID_OUTPUT: _(
        "A node returned what its own rules do not allow, so it was not kept. "
        "Nothing is sent because of it."
    ),
    states.WORLD_CHANGED: _(
        "What the run read is not so any more, and its rules say that a person decides."
    ),
    states.CREDENTIAL_INVALID: _("The tool's credential does not work. Nothing was sent."),
}


def state_of(case: Case) -> str:
    """*open* until a person decided, *decided* until the run went past the trouble, *closed*."""
    if case.closed_at is not None:
        return "closed"
    return "decided" if case.decided_at is not None else "open"


def pill_of(case: Case) -> Pill:
    """How a case looks: as its kind while it is open."""
    return {"closed": CLOSED, "decided": DECIDED, "open": PILLS[case.kind]}[state_of(case)]
