"""What follows when a person puts the ledger right after evidence that came late."""

from typing import Final

from django.db.models.functions import Now

from checkpoints.models import Run
from reconciliation import states as world
from reconciliation.errors import VerdictRefusedError
from reconciliation.ledger.outcomes import close
from reconciliation.models import Action, Attempt
from reconciliation.verdicts.going_on import go_on_from
from reconciliation.verdicts.terms import Desk, effect_of
from tenants.keys import hiding

OTHER_PARAMETERS: Final = "other parameters"
ENDED_AS: Final = {
    world.HAPPENED: world.ATTEMPT_HAPPENED,
    world.DID_NOT_HAPPEN: world.ATTEMPT_ABSENT,
    world.WRITTEN_OFF: world.ATTEMPT_WRITTEN_OFF,
}


def it_happened(desk: Desk) -> None:
    """The ledger says from now on that it happened. What was made of the contrary stays."""
    _amend(desk, world.HAPPENED)


def it_did_not(desk: Desk) -> None:
    """The ledger takes back a person's word; a trigger refuses it for what a tool told."""
    _amend(desk, world.DID_NOT_HAPPEN)


def write_off(desk: Desk) -> None:
    """The ledger says that nobody knows."""
    _amend(desk, world.WRITTEN_OFF)


def as_happened(desk: Desk) -> None:
    """What is to be undone has happened; the ledger says so if it did not."""
    if Action.objects.filter(pk=effect_of(desk.case)).exclude(outcome=world.HAPPENED).exists():
        it_happened(desk)


def go_back(desk: Desk) -> None:
    """Put right, and go back: the node that comes to this effect again is told of it."""
    if desk.case.action_id is not None and desk.case.facts.get("error") != OTHER_PARAMETERS:
        as_happened(desk)
    go_on_from(desk)


def _amend(desk: Desk, outcome: str) -> None:
    action = Action.objects.select_for_update(of=("self",)).get(pk=effect_of(desk.case))
    if action.stands == world.DISPATCHED:
        raise VerdictRefusedError("it is on its way again; what becomes of that comes first")
    if action.outcome == outcome:
        raise VerdictRefusedError("the ledger says so already; load the page again")
    run = Run.objects.get(pk=action.run_id)
    note = hiding.text(desk.given.reason)
    close(run, action, outcome, because=world.BY_PERSON, note=note)
    # Its last attempt is the one that people speak of.
    last = Attempt.objects.filter(action=action).order_by("-number").first()
    if last is not None:
        Attempt.objects.filter(pk=last.pk).update(outcome=ENDED_AS[outcome], settled_at=Now())
