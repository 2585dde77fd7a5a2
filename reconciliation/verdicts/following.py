"""What each verdict does in a case of each kind, inside the transaction that gives it. None sends."""

from collections.abc import Callable
from typing import Final

from checkpoints import states
from reconciliation.verdicts import amending, going_on, lost_effects, said_of_world
from reconciliation.verdicts.terms import Desk

Follow = Callable[[Desk], None]

FOLLOWS: Final[dict[str, Follow]] = {
    states.LOOK_UP_AGAIN: going_on.nothing_more,
    states.TRY_AGAIN: going_on.nothing_more,
    states.GO_ON_FROM: going_on.go_on_from,
    states.CANCEL: going_on.cancel,
    states.IT_STANDS: going_on.nothing_more,
    states.ONLY_ONE: going_on.nothing_more,
}
OF_KIND: Final[dict[str, dict[str, Follow]]] = {
    states.OUTCOME_UNKNOWN: {
        states.IT_HAPPENED: said_of_world.it_happened,
        states.COMPENSATE: said_of_world.it_happened,
        states.SEND_AGAIN: said_of_world.send_again,
        states.IT_DID_NOT: said_of_world.it_did_not,
        states.WRITE_OFF: said_of_world.write_off,
        states.WRITE_OFF_AND_STOP: said_of_world.write_off_and_stop,
    },
    states.DUPLICATE_EFFECT: {states.COMPENSATE: going_on.nothing_more},
    states.CONTRADICTED: {
        states.IT_HAPPENED: amending.it_happened,
        states.IT_DID_NOT: amending.it_did_not,
        states.WRITE_OFF: amending.write_off,
        states.COMPENSATE: amending.as_happened,
        states.GO_ON_FROM: amending.go_back,
    },
    states.RECORD_BEHIND: {
        states.IT_HAPPENED: lost_effects.it_happened,
        states.IT_DID_NOT: lost_effects.it_did_not,
        states.WRITE_OFF: lost_effects.write_off,
        states.WRITE_OFF_AND_STOP: lost_effects.write_off_and_stop,
    },
}


def follow(desk: Desk, verdict: str) -> None:
    """Do what follows. Raises `VerdictRefusedError` when it cannot be said now."""
    of_kind = OF_KIND.get(desk.case.kind, {})
    (of_kind.get(verdict) or FOLLOWS[verdict])(desk)
