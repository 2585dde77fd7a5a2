"""Finding out what became of an effect, and making *did not happen* true."""

from agents.tools.errors import BadProposal, NotConfirmed
from agents.tools.http import answers, building
from agents.tools.http.declared import FOUND, Json, LookUp
from agents.tools.http.talking import Line
from approvals.rules import pointers
from canonical.json import dumps
from reconciliation.tools import (
    Absent,
    Call,
    CredentialInvalid,
    Found,
    Unanswered,
    Voided,
)


def look_up(call: Call, line: Line) -> Found | Absent:
    """Whether the effect of this action is there. Raises `Unanswered`."""
    asked = line.declared.look_up
    if asked is None:
        raise Unanswered("this service cannot be asked what became of a request")
    try:
        answer = line.ask(asked.shape, building.values_of(call))
    except (BadProposal, CredentialInvalid) as error:
        raise Unanswered(str(error)) from error
    rule = answers.fitting(asked.rules, answer)
    if rule is None:
        said = f"the service did not answer: {answers.words(answer)}"
        raise Unanswered(said, retry_after=answers.retry_after(answer))
    if rule.means != FOUND:
        return Absent()
    return _judged(asked, answers.content(answer), call, line)


def void(call: Call, line: Line) -> Voided | Found:
    """Take the place of this action, unless an attempt holds it. Raises `Unanswered`."""
    act = line.declared.void
    if act is None:
        raise Unanswered("this service has no place that could be taken")
    found = look_up(call, line)
    if isinstance(found, Absent) and not found.voided:
        try:
            answer = line.ask(act.shape, building.values_of(call))
        except (BadProposal, CredentialInvalid) as error:
            raise Unanswered(str(error)) from error
        if answers.fitting(act.rules, answer) is None:
            # Somebody was quicker, or the service did not understand: only looking tells.
            found = look_up(call, line)
            if isinstance(found, Absent) and not found.voided:
                raise Unanswered(f"the place was not taken: {answers.words(answer)}")
    return found if isinstance(found, Found) else Voided(_evidence(call, line))


def _judged(asked: LookUp, said: Json, call: Call, line: Line) -> Found | Absent:
    at = pointers.at(said, asked.at)
    if at is pointers.ABSENT:
        raise Unanswered("the service answered something else than was asked for")
    objects = at if isinstance(at, list) else [at]
    own = building.values_of(call)
    wanted = {pointer: own[name] for pointer, name in asked.match.items()}
    if not all(answers.has(each, wanted) for each in objects):
        # A service that ignores the question answers with everything, or with the first page of it.
        raise Unanswered("the service answered with what belongs to other actions")
    effects = [each for each in objects if not (asked.void and answers.has(each, asked.void))]
    if not effects:
        return Absent(voided=bool(objects))
    try:
        return Found(answers.receipt(line.declared, effects[0], call, asked.fields), len(effects))
    except NotConfirmed as error:
        raise Unanswered(str(error)) from error


def _evidence(call: Call, line: Line) -> bytes:
    said = {"action_id": call.action_id, "key": call.key, "tool": line.declared.name}
    return dumps(said)
