"""One turn of a second look: what is shown goes to the model as data, its answer is kept or refused.

No transaction is open and nothing is locked while the model is asked. Whatever goes wrong is kept as
*no look*: people decide without it, as they would have.
"""

import logging
from typing import Final

from django.db import transaction

from approvals import states
from approvals.looking import answers, recording, turns, viewing
from approvals.looking.answers import Remark, UnusableAnswerError
from approvals.looking.port import Looker, NotAnsweredError, NoUsableAnswerError
from approvals.looking.recording import Asked, Found
from approvals.looking.turns import Turn
from approvals.models import ApprovalRequest
from approvals.models.secondlooks import FAILED, UNUSABLE
from checkpoints import stops
from checkpoints.errors import StoppedError
from checkpoints.scopes import Under
from tenants.keys import hiding

log = logging.getLogger(__name__)

ANSWERS_ASKED: Final = 2  # an answer out of form is asked for once more
MOST_TRIES: Final = 3
WAIT_SECONDS: Final = 30  # doubled with each try
WHILE_STOPPED_SECONDS: Final = 20
DIED: Final = "It was begun and not ended, each time."


def take(turn: Turn, looker: Looker) -> bool:
    """Take one claimed turn, within its claim. False: it was lost, put off, or nobody is asked."""
    request = _open(turn)
    if request is None:
        return False
    asked = Asked(looker.model(), looker.prompt_digest, viewing.of(request))
    if turn.tries > MOST_TRIES:
        return bool(recording.record(turn, asked, Found(outcome=FAILED, why=DIED)))
    try:
        found = _looked(request, looker, asked)
    except StoppedError as stop:
        turns.again_in(
            turn, seconds=WHILE_STOPPED_SECONDS, error=hiding.text(str(stop)), counts=False
        )
        return False
    except NotAnsweredError as error:
        return _not_answered(turn, asked, str(error))
    return bool(recording.record(turn, asked, found))


def failed(turn: Turn, error: str) -> None:
    """The turn broke off for a reason of ours: tried again, as often as any other."""
    wait = WAIT_SECONDS * 2 ** (turn.tries - 1)
    turns.again_in(turn, seconds=wait, error=hiding.text(error), counts=True)


def _open(turn: Turn) -> ApprovalRequest | None:
    found = ApprovalRequest.objects.select_related("run__combo").filter(pk=turn.request_id)
    request = found.filter(state=states.OPEN).first()
    if request is None:  # the next round takes it out of the line
        turns.again_in(turn, seconds=0, error="Nobody is asked any more.", counts=False)
    return request


def _looked(request: ApprovalRequest, looker: Looker, asked: Asked) -> Found:
    why = ""
    for _again in range(ANSWERS_ASKED):
        _refuse_while_stopped(request)
        try:
            return Found(_remarks(looker, asked))
        except (NoUsableAnswerError, UnusableAnswerError) as unusable:
            why = str(unusable)
            log.info("second look unusable: %s", why, extra={"request": str(request.pk)})
    return Found(outcome=UNUSABLE, why=why[: turns.LONGEST_ERROR] or "no reason given")


def _remarks(looker: Looker, asked: Asked) -> tuple[Remark, ...]:
    """Ask once. What an answer costs is counted whether or not it can be used."""
    try:
        answer = looker.ask(asked.view.text, answers.SCHEMA)
    except NoUsableAnswerError as error:
        asked.prompt_tokens += error.prompt_tokens
        asked.completion_tokens += error.completion_tokens
        raise
    asked.prompt_tokens += answer.prompt_tokens
    asked.completion_tokens += answer.completion_tokens
    return answers.read(answer.value, asked.view)


def _refuse_while_stopped(request: ApprovalRequest) -> None:
    """While effects are stopped no model is asked, this one neither. Raises `StoppedError`."""
    run = request.run
    with transaction.atomic():
        stops.refuse_if_stopped("effects", Under(run.tenant_id, run.task_type, run.combo_id, ()))


def _not_answered(turn: Turn, asked: Asked, error: str) -> bool:
    if turn.tries >= MOST_TRIES:
        why = error[: turns.LONGEST_ERROR] or "no reason given"
        return bool(recording.record(turn, asked, Found(outcome=FAILED, why=why)))
    failed(turn, error)
    return False
