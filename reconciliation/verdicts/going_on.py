"""What follows when a person only says where the run goes: on, back, or to its end."""

from checkpoints import runs
from reconciliation.errors import VerdictRefusedError
from reconciliation.verdicts.terms import Desk
from tenants.actors import Actor
from tenants.keys import hiding


def nothing_more(desk: Desk) -> None:
    """The run only goes on."""


def go_on_from(desk: Desk) -> None:
    """The executor writes the checkpoint that goes back; here it is judged whether it may."""
    seq = desk.given.seq
    if seq is None or not 0 <= seq <= desk.run.head:
        most = desk.run.head
        raise VerdictRefusedError(f"the run has checkpoints 1 to {most}; name one of them")
    if desk.run.effect_in_flight is not None:
        raise VerdictRefusedError("an effect is not settled yet: that comes first")


def cancel(desk: Desk) -> None:
    """Ask the run to end at its next boundary."""
    actor = Actor.person(desk.user)
    runs.request_cancel(desk.run.id, why=hiding.text(desk.given.reason), actor=actor)
