"""Where an action stands and what became of it; which step follows an unknown outcome. Pure."""

from dataclasses import dataclass
from typing import Final

from reconciliation.tools import Capabilities

# Where an action stands.
PROPOSED: Final = "proposed"
DISPATCHED: Final = "dispatched"
SETTLED: Final = "settled"
STANDS: Final = (PROPOSED, DISPATCHED, SETTLED)

# What became of it. "" until it is dispatched and answered; *unknown* is never final.
OPEN: Final = ""
UNKNOWN: Final = "unknown"
HAPPENED: Final = "happened"
DID_NOT_HAPPEN: Final = "did_not_happen"
REFUSED: Final = "refused"
WRITTEN_OFF: Final = "written_off"
OUTCOMES: Final = (OPEN, UNKNOWN, HAPPENED, DID_NOT_HAPPEN, REFUSED, WRITTEN_OFF)

# Why an action did not happen, or how we know that it did.
REJECTED: Final = "rejected"
SENT_BACK: Final = "sent_back"
EXPIRED: Final = "expired"
WITHDRAWN: Final = "withdrawn"
FORBIDDEN: Final = "forbidden"
VOIDED: Final = "voided"
ANSWERED: Final = "answered"
LOOKED_UP: Final = "looked_up"
BY_PERSON: Final = "by_person"
BECAUSE: Final = (
    "",
    REJECTED,
    SENT_BACK,
    EXPIRED,
    WITHDRAWN,
    FORBIDDEN,
    VOIDED,
    ANSWERED,
    LOOKED_UP,
    BY_PERSON,
)

# What became of one attempt. "" while nobody knows.
ATTEMPT_OPEN: Final = ""
ATTEMPT_HAPPENED: Final = "happened"
ATTEMPT_REFUSED: Final = "refused"
ATTEMPT_ABSENT: Final = "absent"
ATTEMPT_VOIDED: Final = "voided"
ATTEMPT_NOT_CALLED: Final = "not_called"
ATTEMPT_WRITTEN_OFF: Final = "written_off"
ATTEMPT_RESENT: Final = "resent_under_key"
ATTEMPTS: Final = (
    ATTEMPT_OPEN,
    ATTEMPT_HAPPENED,
    ATTEMPT_REFUSED,
    ATTEMPT_ABSENT,
    ATTEMPT_VOIDED,
    ATTEMPT_NOT_CALLED,
    ATTEMPT_WRITTEN_OFF,
    ATTEMPT_RESENT,
)
# After these, a further attempt may be sent: the one before had no effect, or cannot repeat it.
PROVEN_WITHOUT_EFFECT: Final = (
    ATTEMPT_ABSENT,
    ATTEMPT_VOIDED,
    ATTEMPT_NOT_CALLED,
    ATTEMPT_RESENT,
)

LOOK_UP: Final = "look_up"
SEND_AGAIN_WITH_KEY: Final = "send_again_with_key"
WAIT: Final = "wait"
ASK_A_PERSON: Final = "ask_a_person"


@dataclass(frozen=True)
class Ages:
    """What decides about a keyed tool, in seconds: since the first intent, and the window."""

    since_first_intent: float
    window_closed: bool
    budget: float
    margin: float


def first_step(capabilities: Capabilities, ages: Ages) -> str:
    """What may be done about an attempt whose outcome is unknown (the table of DESIGN §4)."""
    if capabilities.void or capabilities.look_up:
        return LOOK_UP
    keyed = capabilities.keyed
    if keyed is None:
        return ASK_A_PERSON
    # The key must outlive the call that uses it, and its late arrival (rule 10).
    if ages.since_first_intent + ages.budget + ages.margin >= keyed.remembers_seconds:
        return ASK_A_PERSON
    if not keyed.locks_in_flight and not ages.window_closed:
        return WAIT
    return SEND_AGAIN_WITH_KEY
