"""Makes the dry run of a waiting request again, and keeps whether it still shows the same.

Nothing is locked and no transaction is open while the tool is asked. Whatever goes wrong is kept
as *could not be seen*: that nothing is known is shown, never taken for *nothing moved*.
"""

import logging

from approvals.drift import comparing, looks
from approvals.drift.looks import Look, Pace
from approvals.hashing import Difference
from approvals.models import ApprovalRequest
from approvals.requests import Question
from approvals.showing import changes
from approvals.showing.changes import Diff
from checkpoints.registry import agents, runs_here
from reconciliation import asking
from reconciliation.errors import ForbiddenEffectError
from reconciliation.models import Action
from reconciliation.tools import Tool
from tenants.keys import hiding

log = logging.getLogger(__name__)

# What a look takes beside the tool's own budget: reading, comparing, keeping.
BESIDE_SECONDS = 15


class NotHereError(Exception):
    """This process does not have the code of the run."""


def claim(tool: Tool, *, room: int) -> list[Look]:
    """Due looks of one tool, at most `room` for this process, and never more than it declares."""
    declared = tool.look_again
    seconds = tool.budget_seconds + BESIDE_SECONDS
    pace = Pace(declared.every_seconds, declared.at_once, seconds)
    return looks.claim(tool.name, pace, room=room)


def tools() -> list[Tool]:
    """The tools that this process could ask."""
    return list(agents().TOOLS.by_name.values())


def look(claimed: Look) -> bool:
    """Look once, within the tool's budget. False: too late, or nobody is asked any more."""
    try:
        request = ApprovalRequest.objects.get(pk=claimed.request_id)
        moved, files = _look(request)
    except Exception as error:  # a tool may raise anything
        log.info("dry run not made again: %s", error, extra={"request": str(claimed.request_id)})
        return looks.note_unseen(claimed, hiding.text(f"{type(error).__name__}: {error}"))
    return looks.note_seen(claimed, moved, files)


def _look(request: ApprovalRequest) -> tuple[list[Difference], list[str] | None]:
    action = Action.objects.select_related("run__combo", "tenant").get(pk=request.action_id)
    if not runs_here(action.run.combo):
        raise NotHereError("no process that looks has the code of this run")
    try:
        asked = asking.question(action)
    except ForbiddenEffectError as denied:
        return [Difference("rules", "ask", str(denied))], None
    moved = comparing.since(request, asked.bound, asked.requirement.as_json())
    return moved, _files(request, asked) if moved else None


def _files(request: ApprovalRequest, asked: Question) -> list[str] | None:
    return changes.moved_files(Diff.of(request), Diff(asked.diff, asked.media))
