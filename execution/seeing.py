"""Seeing what an action would change, through an open door; what cannot be seen waits or is held."""

from datetime import timedelta
from typing import Final

from django.db import Error as DatabaseFault

from approvals import clock
from approvals.requests import Question
from checkpoints import rungs, states
from checkpoints.cases import Trouble
from checkpoints.models import Run
from execution.errors import Ending, Finish, Hold, Suspend, TryLater
from execution.work import Work
from reconciliation import asking, ledger, patience
from reconciliation import states as world
from reconciliation.calls import tool_of
from reconciliation.doors import noting
from reconciliation.doors import reading as doors
from reconciliation.doors.models import Door
from reconciliation.errors import AboveRungError, ForbiddenEffectError
from reconciliation.models import Action
from reconciliation.tools import CredentialInvalid, Unanswered
from tenants.keys import hiding
from tenants.keys.errors import KeysError

DRY_RUN_TRIES = 8
RUNG_WAIT: Final = timedelta(minutes=1)


def question(work: Work, action: Action) -> Question:
    """A dry run made now. What cannot be answered is asked again later, then needs a person.

    Nobody is asked for what could not be sent: below the top rung the run waits for its release.
    """
    door = wait_at_door(action)
    try:
        asked = asking.question(action, needs=rungs.WRITE)
    except AboveRungError as refusal:
        raise _for_rung(refusal) from refusal
    except Unanswered as silence:
        raise _unseen(work, action, silence) from silence
    except CredentialInvalid as error:
        facts = hiding.texts(error=str(error), tool=action.tool)
        sentence = hiding.text(f"The credential of {action.tool} does not work: {error}")
        raise Hold(Trouble(states.CREDENTIAL_INVALID, sentence, facts, action.id)) from error
    except ForbiddenEffectError as error:
        ledger.settle(
            work.run.id,
            action.id,
            world.DID_NOT_HAPPEN,
            because=world.FORBIDDEN,
            note=hiding.text(str(error)),
        )
        raise Finish(states.FAILED, states.FORBIDDEN_EFFECT, str(error)) from error
    except (KeysError, DatabaseFault):
        raise  # waiting would not bring erased data back; our own troubles have their own waits
    except Exception as error:
        failures = Run.objects.values_list("node_failures", flat=True).get(id=work.run.id)
        said = str(hiding.text(f"{type(error).__name__}: {error}").first(400))
        if failures < DRY_RUN_TRIES:
            unseen = f"It cannot be seen what “{action.describe}” would change ({said})."
            raise TryLater(unseen + " Tried again by itself.", float(2**failures)) from error
        raise _cannot_be_seen(action, said) from error
    noting.seen(door)
    return asked


def _unseen(work: Work, action: Action, silence: Unanswered) -> Ending:
    """Nobody there to say what would change: met with the tool's patience, as a look-up is."""
    said, rest = hiding.text(str(silence)).first(400), patience.asked_for(silence)
    noting.unseen(action, said, retry_after=rest)
    asked = 1 + Run.objects.values_list("node_failures", flat=True).get(id=work.run.id)
    if asked > patience.silences(tool_of(action)):
        return _cannot_be_seen(action, str(said))
    unseen = f"It cannot be seen what “{action.describe}” would change ({said})."
    wait = patience.wait(asked, who=action.pk, at_least=rest)
    return TryLater(unseen + " Asked again by itself.", wait.total_seconds())


def _cannot_be_seen(action: Action, said: str) -> Hold:
    facts = hiding.texts(error=said, tool=action.tool, target=action.target)
    sentence = hiding.text(f"It cannot be seen what “{action.describe}” would change: {said}")
    return Hold(Trouble(states.WORLD_CHANGED, sentence, facts, action.id))


def wait_for_rung(action: Action) -> None:
    """Until its combo may write with the tool: somebody stepped it down, or nobody took it up."""
    try:
        asking.refuse_above_rung(action, rungs.WRITE)
    except AboveRungError as refusal:
        raise _for_rung(refusal) from refusal


def _for_rung(refusal: AboveRungError) -> Suspend:
    said = f"Not sent: {refusal}. It goes on when somebody takes it up the ladder."
    return Suspend(states.FOR_RETRY, said, clock.now() + RUNG_WAIT)


def wait_at_door(action: Action) -> Door | None:
    """The door of its tool when it has one, and it is open for this action."""
    door = doors.of_tool(action.tenant_id, action.tool)
    if door is not None and door.keeps_out(action):
        raise Suspend(states.FOR_DOOR, doors.sentence(door), None)
    return door
