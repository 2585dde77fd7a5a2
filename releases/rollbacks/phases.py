"""The phases of a rollback, what can become of a run, and how an effect stands. Pure.

Killed anywhere, a rollback stands in exactly one phase; it only moves on, and by one.
"""

from typing import Final

from canonical import json as canonical

PLANNED: Final = "planned"
STOPPING: Final = "stopping"
HOLDING: Final = "holding"
RESTORING: Final = "restoring"
RECONCILING: Final = "reconciling"
RELEASING: Final = "releasing"
CLOSING: Final = "closing"
CLOSED: Final = "closed"
PHASES: Final = (
    PLANNED,
    STOPPING,
    HOLDING,
    RESTORING,
    RECONCILING,
    RELEASING,
    CLOSING,
    CLOSED,
)
# What the sweeper works on, in the order of DESIGN §7.
SIX: Final = PHASES[1:-1]
# From here on effects can be signed off.
ON_THE_BOARD: Final = (RECONCILING, RELEASING, CLOSING)

WITHDRAWN: Final = "withdrawn"
EXPIRED: Final = "expired"
ENDS: Final = ("", CLOSED, WITHDRAWN, EXPIRED)

# What people say of a rollback.
START: Final = "start"
SECOND: Final = "second"
PAUSE: Final = "pause"
GO_ON: Final = "go_on"
WITHDRAW: Final = "withdraw"
ORDERS: Final = (START, SECOND, PAUSE, GO_ON, WITHDRAW)

# What will happen to a run of the withdrawn combo when nobody chooses otherwise.
CONTINUES: Final = "continues"
MIGRATES: Final = "migrates"
FORWARD_ONLY: Final = "forward_only"
PINNED: Final = "pinned"
IN_FLIGHT: Final = "in_flight"
ON_HOLD: Final = "on_hold"
KINDS: Final = (CONTINUES, MIGRATES, PINNED, IN_FLIGHT, ON_HOLD, FORWARD_ONLY)

# What is chosen for a run.
TO_GO_ON: Final = "go_on"
TO_FORK: Final = "fork"
TO_CANCEL: Final = "cancel"
TO_WAIT: Final = "wait"
CHOICES: Final = (TO_GO_ON, TO_FORK, TO_CANCEL, TO_WAIT)
# No state of theirs can be read by the old combo.
FOR_FORWARD_ONLY: Final = (TO_FORK, TO_CANCEL, TO_WAIT)
USUAL: Final = dict.fromkeys(KINDS, TO_GO_ON)
# What a machine may choose by itself: nothing is thrown away.
BY_MACHINE: Final = {**USUAL, FORWARD_ONLY: TO_WAIT}

# What became of a run.
WENT_ON: Final = "went_on"
FORKED: Final = "forked"
CANCELLED: Final = "cancelled"
WAITS: Final = "waits"
ENDED_ITSELF: Final = "ended_itself"
RUN_ENDS: Final = ("", WENT_ON, FORKED, CANCELLED, WAITS, ENDED_ITSELF)

# Where an effect of the withdrawn combo stands.
PROPOSED: Final = "proposed"
APPROVED: Final = "approved"
ATTEMPTING: Final = "attempting"
UNKNOWN: Final = "unknown"
HAPPENED: Final = "happened"
REFUSED: Final = "refused"
COMPENSATED: Final = "compensated"
ORPHANED: Final = "orphaned"
EFFECT_STATES: Final = (
    UNKNOWN,
    ATTEMPTING,
    HAPPENED,
    ORPHANED,
    APPROVED,
    PROPOSED,
    COMPENSATED,
    REFUSED,
)
# Nobody signs these off: first it is found out, or is never sent.
OUTSIDE: Final = (HAPPENED, ORPHANED)

RECONCILED: Final = "reconciled"
ACCEPTED: Final = "accepted"
SIGN_OFFS: Final = ("", RECONCILED, COMPENSATED, ACCEPTED)


def after(phase: str) -> str:
    """The phase that follows; `closed` is the last."""
    return PHASES[PHASES.index(phase) + 1]


def number(phase: str) -> int:
    """1 to 6 for the six phases, 0 before, 7 after."""
    return PHASES.index(phase)


def is_at_least(phase: str, other: str) -> bool:
    """Whether a rollback in `phase` has come to `other`."""
    return PHASES.index(phase) >= PHASES.index(other)


def parts_differ(old: bytes, new: bytes) -> list[str]:
    """The members of two manifests that differ, by name: what is restored together."""
    before, after = canonical.loads_object(old), canonical.loads_object(new)
    names = sorted(before.keys() | after.keys())
    return [name for name in names if before.get(name) != after.get(name)]
