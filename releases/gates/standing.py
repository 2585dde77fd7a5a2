"""Where a candidate stands, and which moves lead on: what was stopped comes back as a shadow only. Pure.

A machine may stop, and roll back once; then nothing moves until a person lets it (keel#1485 rolled
back again and again, argo-rollouts#2929 started again by itself).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NEW: Final = "new"
SHADOW: Final = "shadow"
CANARY: Final = "canary"
STABLE: Final = "stable"
STOPPED: Final = "stopped"
PLACES: Final = (NEW, SHADOW, CANARY, STABLE, STOPPED)

BEGIN: Final = "begin"
WIDEN: Final = "widen"
PROMOTE: Final = "promote"
STOP: Final = "stop"
ROLL_BACK: Final = "roll_back"
LIFT: Final = "lift"
MOVES: Final = (BEGIN, WIDEN, PROMOTE, STOP, ROLL_BACK, LIFT)

# From where each move leads where. `widen` is also the first share of a canary.
LEADS: Final[Mapping[str, Mapping[str, str]]] = {
    BEGIN: {NEW: SHADOW},
    WIDEN: {SHADOW: CANARY, CANARY: CANARY},
    PROMOTE: {CANARY: STABLE},
    STOP: {NEW: STOPPED, SHADOW: STOPPED, CANARY: STOPPED},
    ROLL_BACK: {SHADOW: STOPPED, CANARY: STOPPED, STABLE: STOPPED, STOPPED: STOPPED},
    LIFT: {STOPPED: SHADOW},
}
BY_MACHINE: Final = (STOP, ROLL_BACK)


class NotFromHereError(ValueError):
    """This release does not move like that from where it stands."""


@dataclass(frozen=True)
class Standing:
    """The place of a candidate; `is_frozen` after a roll back by machine, until a person lifts it.

    It belongs to the task type of a tenant, not to the candidate: another one does not thaw it.
    """

    place: str = NEW
    is_frozen: bool = False


def moved(standing: Standing, move: str, *, by_person: bool) -> Standing:
    """Where it stands after the move. Raises `NotFromHereError`, naming what hinders it."""
    after = LEADS[move].get(standing.place)
    if after is None:
        raise NotFromHereError(f"{move} does not lead on from {standing.place}")
    if by_person:
        return Standing(after, standing.is_frozen and move != LIFT)
    if move not in BY_MACHINE:
        raise NotFromHereError(f"only a person may {move}")
    if move == ROLL_BACK and standing.is_frozen:
        raise NotFromHereError(
            "it was rolled back by machine before, and a person has not lifted it"
        )
    return Standing(after, standing.is_frozen or move == ROLL_BACK)


def may(standing: Standing, move: str, *, by_person: bool) -> bool:
    """Whether the move leads on."""
    try:
        moved(standing, move, by_person=by_person)
    except NotFromHereError:
        return False
    return True


def replaced(standing: Standing) -> Standing:
    """Where a new candidate begins: frozen as the one before it was."""
    return Standing(NEW, standing.is_frozen)
