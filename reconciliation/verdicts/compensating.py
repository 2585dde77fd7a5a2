"""Undoing an effect: a run of its own, with its own dry run and its own approval. It sends nothing."""

import contextlib
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from canonical.redaction import Redacted
from checkpoints import runs
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Run, Verdict
from reconciliation import followups
from reconciliation.errors import FollowUpRefusedError, VerdictRefusedError
from reconciliation.followups import Wanted
from reconciliation.models import Action
from reconciliation.tools import FollowUp
from reconciliation.verdicts.terms import Given, effect_of
from tenants.actors import Actor
from tenants.models import User

CHANNEL: Final = "verdict"


@dataclass(frozen=True)
class Undoing:
    """The run that undoes an effect, and the action it is for."""

    run: Run
    action_id: UUID


def declared(tool: str) -> FollowUp | None:
    """How the effects of a tool are undone, as the agents of this installation declare it."""
    return followups.among("COMPENSATIONS", tool)


def begin(case: Case, given: Given, *, user: User) -> Undoing:
    """Start the run that undoes the effect of a case, inside the verdict's transaction.

    Called before the case is locked: starting takes the locks of stops, which come first. Raises
    `VerdictRefusedError`, also while new runs are stopped.
    """
    action = Action.objects.select_related("tenant").filter(pk=effect_of(case)).first()
    if action is None:
        raise VerdictRefusedError("no task type is declared that undoes an effect of this tool")
    return Undoing(undo(action, why=given.reason, channel=CHANNEL, user=user), action.pk)


def undo(action: Action, *, why: str, channel: str, user: User) -> Run:
    """Start the run that undoes an effect, inside the caller's transaction; no run is locked yet.

    Raises `VerdictRefusedError`, also while another run undoes it or new runs are stopped.
    """
    how = declared(action.tool)
    if how is None:
        raise VerdictRefusedError("no task type is declared that undoes an effect of this tool")
    try:
        return followups.start(action, Wanted(how, beginning(action), channel, why), user=user)
    except FollowUpRefusedError as error:
        raise VerdictRefusedError(f"it cannot be undone: {error}") from error


def beginning(action: Action) -> str:
    """How the business keys of all runs begin that undo this effect."""
    return f"undo {action.pk}"


def call_off(verdict: Verdict, *, why: Redacted, user: User) -> None:
    """The verdict that began it is taken back: ask the run that undoes to end, if it still goes.

    Inside that transaction, before any other run is locked in it: a verdict that is gone with what
    followed of it still under way would be nobody's.
    """
    run_id = verdict.detail.get("undone_by")
    if run_id is None:
        return
    with contextlib.suppress(IllegalMoveError):
        runs.request_cancel(UUID(run_id), why=why, actor=Actor.person(user))
