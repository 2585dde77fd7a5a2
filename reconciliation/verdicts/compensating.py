"""Undoing an effect: a run of its own, with its own dry run and its own approval. It sends nothing."""

import contextlib
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from canonical import json as canonical
from canonical.redaction import Redacted, view
from checkpoints import runs, states
from checkpoints.errors import (
    IllegalMoveError,
    InputRefusedError,
    KeyReusedError,
    StoppedError,
    UnknownTaskTypeError,
)
from checkpoints.models import Case, Run, Verdict
from checkpoints.registry import agents
from checkpoints.runs import Request
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Receipt
from reconciliation.tools import Compensation, Undone
from reconciliation.verdicts.terms import Given, effect_of
from tenants.actors import Actor
from tenants.models import User

CHANNEL: Final = "verdict"
MOST_TRIES: Final = 100


@dataclass(frozen=True)
class Undoing:
    """The run that undoes an effect, and the action it is for."""

    run: Run
    action_id: UUID


def declared(tool: str) -> Compensation | None:
    """How the effects of a tool are undone, as the agents of this installation declare it."""
    found: Compensation | None = getattr(agents(), "COMPENSATIONS", {}).get(tool)
    return found if found is not None and found.task_type in agents().GRAPHS else None


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

    Raises `VerdictRefusedError`, also while another run undoes it, and `StoppedError`.
    """
    compensation = declared(action.tool)
    if compensation is None:
        raise VerdictRefusedError("no task type is declared that undoes an effect of this tool")
    content = compensation.input_of(_undone(action, why))
    asked = Request(compensation.task_type, _key(action), content, channel)
    try:
        run, created = runs.start(action.tenant, asked, actor=Actor.person(user))
    except (InputRefusedError, KeyReusedError, StoppedError, UnknownTaskTypeError) as error:
        raise VerdictRefusedError(f"the run that undoes it cannot start: {error}") from error
    if not created:
        raise VerdictRefusedError(f"run {run.pk} undoes it already; look there first")
    return run


def beginning(action: Action) -> str:
    """How the business keys of all runs begin that undo this effect."""
    return f"undo {action.pk}"


def call_off(verdict: Verdict, *, why: Redacted, user: User) -> None:
    """The verdict that began it was taken back: ask the run that undoes to end, if it still goes.

    A transaction of its own: no two runs are locked at once.
    """
    run_id = verdict.detail.get("undone_by")
    if run_id is None:
        return
    with contextlib.suppress(IllegalMoveError):
        runs.request_cancel(UUID(run_id), why=why, actor=Actor.person(user))


def _undone(action: Action, why: str) -> Undone:
    return Undone(
        action_id=str(action.pk),
        tenant=action.tenant.slug,
        parameters=_as_kept(bytes(action.parameters)),
        receipt=_receipt(action),
        why=why,
    )


def _receipt(action: Action) -> Any:
    told = Receipt.objects.filter(action_id=action.pk).exclude(source__in=["person", "refusal"])
    first = told.order_by("id").first()
    if first is None:
        return None
    try:
        return _as_kept(bytes(first.content))
    except canonical.CanonicalError:
        return None


def _as_kept(content: bytes) -> Any:
    """A stored value with marks where it is sensitive."""
    return view(canonical.loads(content)).value


def _key(action: Action) -> str:
    """One run at a time undoes an effect; after one that ended, another may be started."""
    key = beginning(action)
    earlier = Run.objects.filter(tenant_id=action.tenant_id, business_key__startswith=key)
    ended = earlier.filter(status__in=states.FINAL).count()
    if ended >= MOST_TRIES:
        raise VerdictRefusedError("it was tried too often to undo this; look at those runs first")
    return f"{key} {ended + 1}"
