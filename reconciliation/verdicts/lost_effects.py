"""What follows when a person says what became of an effect whose line the ledger has lost."""

from checkpoints.models import Run
from reconciliation import ledger
from reconciliation import states as world
from reconciliation.errors import VerdictRefusedError
from reconciliation.ledger.outcomes import close
from reconciliation.models import Action
from reconciliation.verdicts.going_on import cancel
from reconciliation.verdicts.terms import Desk, effect_of
from tenants.keys import hiding


def it_happened(desk: Desk) -> None:
    """Settle it as a person says: there is no attempt that a receipt could be of."""
    action = _unsettled(desk)
    run = Run.objects.get(pk=action.run_id)
    note = hiding.text(desk.given.reason)
    close(run, action, world.HAPPENED, because=world.BY_PERSON, note=note)


def it_did_not(desk: Desk) -> None:
    """Settle that it did not reach the world."""
    _settle(desk, world.DID_NOT_HAPPEN)


def write_off(desk: Desk) -> None:
    """Settle that nobody can know."""
    _settle(desk, world.WRITTEN_OFF)


def write_off_and_stop(desk: Desk) -> None:
    """The same, and the run ends at its next boundary."""
    write_off(desk)
    cancel(desk)


def _settle(desk: Desk, outcome: str) -> None:
    action, note = _unsettled(desk), hiding.text(desk.given.reason)
    ledger.settle(action.run_id, action.pk, outcome, because=world.BY_PERSON, note=note)


def _unsettled(desk: Desk) -> Action:
    action = Action.objects.select_for_update(of=("self",)).get(pk=effect_of(desk.case))
    if action.stands == world.SETTLED:
        raise VerdictRefusedError("the outcome is known by now; load the page again")
    return action
