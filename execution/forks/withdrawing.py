"""Takes back what a held run has proposed and not sent, so that its fork may propose it."""

from typing import Final

from approvals import requests
from checkpoints.models import Run
from reconciliation import ledger
from reconciliation import states as world
from reconciliation.models import Action
from tenants.actors import Actor

WHY: Final = "Left to a fork of this run."


def unsent(source: Run) -> Action | None:
    """What a run has proposed and not sent: then nobody else of its lineage may propose it."""
    action = ledger.open_action(source.pk)
    if action is None or action.stands != world.PROPOSED or action.attempts.exists():
        return None
    return action


def withdraw(source: Run, *, actor: Actor) -> None:
    """Inside the fork's transaction, the source locked: its question is withdrawn, nothing is sent.

    The source hears, if it ever goes on, that its effect did not happen.
    """
    action = unsent(source)
    if action is None:
        return
    requests.withdraw(action.pk, actor=actor, reason=WHY)
    ledger.settle(source.pk, action.pk, world.DID_NOT_HAPPEN, because=world.WITHDRAWN, note=WHY)
