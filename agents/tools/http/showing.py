"""The dry run: the object as it is, what it would become, and the request that would be sent."""

import json
from collections.abc import Mapping

from agents.tools.errors import BadProposal
from agents.tools.http import answers, building, talking
from agents.tools.http.declared import Before, Json
from agents.tools.http.talking import Line
from agents.tools.wire.sending import Answer, Request
from approvals.rules import pointers
from canonical.errors import CanonicalError
from canonical.json import dumps
from reconciliation.tools import Call, CredentialInvalid, DryRun, Unanswered

# Every dry run is shown as of the same attempt, so that two of the same show the same.
ANY_ATTEMPT = "attempt"


def dry_run(call: Call, line: Line) -> DryRun:
    """Raises `Unanswered`, `CredentialInvalid`, `BadProposal`."""
    values = building.values_of(call) | {"$attempt_id": ANY_ATTEMPT}
    effect = building.request(line.declared.effect.shape, values)
    shown = {"request": _shown(effect)}
    before = line.declared.before
    if before is None:
        return DryRun(dumps({"before": {}, "after": shown}), "application/json", {})
    answer = line.ask(before.shape, values)
    found = _object(before, answer)
    version = "" if found is None else answers.version(answer, found, before.version)
    _refuse_if_moved(line, call, version)
    after = _becomes(before, found, effect)
    try:
        diff = dumps({"before": {"object": found}, "after": {"object": after, **shown}})
    except CanonicalError as error:
        raise Unanswered(f"what the service shows cannot be compared: {error}") from error
    name = building.request(before.shape, values).target
    return DryRun(diff, "application/json", {name: version})


def _object(before: Before, answer: Answer) -> Json:
    """The object that would change; None when it is not there."""
    if answer.status in before.absent:
        return None
    if talking.refused_login(answer):
        raise CredentialInvalid(f"the service does not take it: {answers.words(answer)}")
    found = pointers.at(answers.content(answer), before.at)
    if answer.status // 100 != 2 or found is pointers.ABSENT:  # noqa: PLR2004 - a class of statuses
        said = f"the service does not show it: {answers.words(answer)}"
        raise Unanswered(said, retry_after=answers.retry_after(answer))
    return found


def _refuse_if_moved(line: Line, call: Call, version: str) -> None:
    name = line.declared.precondition
    if name and call.parameters.get(name) != version:
        raise BadProposal(f"the object is at version {version!r}, and the effect is for another")


def _becomes(before: Before, found: Json, effect: Request) -> Json:
    sent = pointers.at(json.loads(effect.body or b"null"), before.body_at)
    if before.becomes == "deleted":
        return None
    if before.becomes == "replaced":
        return sent
    if before.becomes == "merged" and isinstance(sent, Mapping):
        return {**(found or {}), **sent}
    return found


def _shown(effect: Request) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "method": effect.method,
        "path": effect.target,
        "headers": dict(effect.headers),
    }
    if effect.body:
        try:
            shown["body"] = json.loads(effect.body)
        except ValueError:
            shown["body"] = effect.body.decode("ascii")
    return shown
