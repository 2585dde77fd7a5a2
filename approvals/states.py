"""States of approval requests and approvals, the verdicts, and which moves are legal. Pure."""

from typing import Final

# An approval request: the question.
OPEN: Final = "open"
APPROVED: Final = "approved"
REJECTED: Final = "rejected"
SENT_BACK: Final = "sent_back"
EXPIRED: Final = "expired"
WITHDRAWN: Final = "withdrawn"
USED: Final = "used"

REQUEST_STATES: Final = (OPEN, APPROVED, REJECTED, SENT_BACK, EXPIRED, WITHDRAWN, USED)

REQUEST_MOVES: Final[dict[str, tuple[str, ...]]] = {
    OPEN: (APPROVED, REJECTED, SENT_BACK, EXPIRED, WITHDRAWN),
    APPROVED: (EXPIRED, WITHDRAWN, USED),
    REJECTED: (),
    SENT_BACK: (),
    EXPIRED: (),
    WITHDRAWN: (),
    USED: (),
}

# A live request can still lead to an effect; an action has at most one.
LIVE: Final = tuple(state for state, moves in REQUEST_MOVES.items() if moves)

# What a person said to the action itself. It is not asked again: the run must hear the answer.
ANSWERED_NO: Final = (REJECTED, SENT_BACK)

# An approval: the answer that allows one effect.
UNUSED: Final = "unused"

APPROVAL_STATES: Final = (UNUSED, USED, EXPIRED, WITHDRAWN)

APPROVAL_MOVES: Final[dict[str, tuple[str, ...]]] = {
    UNUSED: (USED, EXPIRED, WITHDRAWN),
    USED: (),
    EXPIRED: (),
    WITHDRAWN: (),
}

# What one person decides.
APPROVE: Final = "approve"
REJECT: Final = "reject"
SEND_BACK: Final = "send_back"

VERDICTS: Final = (APPROVE, REJECT, SEND_BACK)

# A verdict that closes the question by itself, however many approvers are required.
CLOSES_AS: Final[dict[str, str]] = {REJECT: REJECTED, SEND_BACK: SENT_BACK}


def may_move(moves: dict[str, tuple[str, ...]], old: str, new: str) -> bool:
    """True if `old → new` stands in the table. A state the table does not know moves nowhere."""
    return new in moves.get(old, ())
