"""What follows when a person says what became of an effect that the record lacks."""

from canonical import json as canonical
from checkpoints.models import Run
from reconciliation import ledger
from reconciliation import states as world
from reconciliation.behind import models as of_line
from reconciliation.behind import restoring, settling
from reconciliation.behind.models import MissingLine
from reconciliation.errors import VerdictRefusedError
from reconciliation.ledger.outcomes import close
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import said_of_world
from reconciliation.verdicts.going_on import cancel
from reconciliation.verdicts.terms import Desk, effect_of
from tenants.keys import hiding


def it_happened(desk: Desk) -> None:
    """Keep the person's word: of the attempt from the journal, else of the effect itself."""
    line = _lost_whole(desk)
    if line is not None:
        seen = {"said_by": desk.user.email, "evidence": desk.given.evidence}
        known = restoring.happened(world.BY_PERSON, canonical.dumps(seen))
        restoring.put_back(line, desk.run, known)
        _say(desk, of_line.HAPPENED)
    elif _is_out(desk):
        said_of_world.it_happened(desk)
    else:
        action, note = _unsettled(desk), hiding.text(desk.given.reason)
        run = Run.objects.get(pk=action.run_id)
        close(run, action, world.HAPPENED, because=world.BY_PERSON, note=note)


def it_did_not(desk: Desk) -> None:
    """Settle that it did not reach the world. What was lost whole may be proposed anew."""
    line = _lost_whole(desk)
    if line is not None:
        restoring.put_back(line, desk.run, restoring.did_not(world.BY_PERSON))
        _say(desk, of_line.DID_NOT_HAPPEN)
    elif _is_out(desk):
        said_of_world.it_did_not(desk)
    else:
        _settle(desk, world.DID_NOT_HAPPEN)


def write_off(desk: Desk) -> None:
    """Settle that nobody can know."""
    _settle(desk, world.WRITTEN_OFF)


def write_off_and_stop(desk: Desk) -> None:
    """The same, and the run ends at its next boundary."""
    write_off(desk)
    cancel(desk)


def _say(desk: Desk, became: str) -> None:
    settling.by_verdict(desk.case, became, reason=hiding.text(desk.given.reason), user=desk.user)


def _lost_whole(desk: Desk) -> MissingLine | None:
    """The line of an effect of which the record has nothing at all."""
    return settling.of_case(desk.case) if desk.case.action_id is None else None


def _is_out(desk: Desk) -> bool:
    return Attempt.objects.filter(action_id=effect_of(desk.case), outcome="").exists()


def _settle(desk: Desk, outcome: str) -> None:
    action, note = _unsettled(desk), hiding.text(desk.given.reason)
    ledger.settle(action.run_id, action.pk, outcome, because=world.BY_PERSON, note=note)


def _unsettled(desk: Desk) -> Action:
    action = Action.objects.select_for_update(of=("self",)).get(pk=effect_of(desk.case))
    if action.stands == world.SETTLED:
        raise VerdictRefusedError("the outcome is known by now; load the page again")
    return action
