"""Proposing: a person writes the state of a held run, and a second one is asked."""

import secrets
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from approvals import clock, states
from approvals.edits import hashing
from approvals.edits.hashing import Bound
from approvals.errors import ReasonMissingError
from approvals.models import EditRequest
from canonical import digests
from canonical.redaction import ours
from checkpoints import cases, knowing
from checkpoints import states as record
from checkpoints.graph import Graph
from checkpoints.models import Case, Run
from checkpoints.registry import graph_of, runs_here
from execution.edits import ending, judging, notices, writing
from execution.edits.errors import EditRefusedError
from execution.edits.writing import Draft, Written
from tenants.actors import Actor
from tenants.keys import vaults
from tenants.models import User

EDIT_LIVES: Final = timedelta(hours=24)


def propose(case_id: UUID, written: Written, *, actor: Actor, user: User) -> EditRequest:
    """Put a new state for the run of an open case before a second person.

    Raises `NotPermittedError`, `ReasonMissingError`, `EditRefusedError` (what is wrong with it, or
    `UnreconciledError`), `IllegalMoveError` when the case was decided meanwhile.
    """
    case = Case.objects.get(pk=case_id)
    judging.admit_author(case, actor=actor, user=user)
    if not written.reason.strip():
        raise ReasonMissingError(f"case {case_id}: an edit without a reason")
    with vaults.bound(case.tenant_id), transaction.atomic():
        run, case = cases.locked(case_id)
        draft = _judged(run, case, written)
        _retire(run, actor)
        reason = knowing.words(written.reason, of=[run.pk], also=[draft.content])
        edit = _create(case, draft, str(reason), user)
        ending.record(edit, actor, "propose", reason=reason, parent_seq=edit.parent_seq)
        notices.asked(edit)
    return edit


def look(case: Case, written: Written) -> Draft:
    """The same checks, and nothing is kept: what a writer sees before they propose it.

    Raises `EditRefusedError`. Inside `vaults.bound`.
    """
    run = Run.objects.select_related("combo", "tenant").get(pk=case.run_id)
    return _judged(run, case, written)


def graph_for(run: Run) -> Graph:
    """The graph of the run's own code. Raises `EditRefusedError` when this process runs other code."""
    if not runs_here(run.combo):
        raise EditRefusedError(
            "the run is pinned to a version combo that these pages do not run, so its state cannot "
            "be checked here"
        )
    return graph_of(run.task_type)


def refuse_if_not_editable(run: Run, case: Case) -> None:
    """Raises `EditRefusedError` for a case whose trouble cannot lie in the state."""
    if case.decided_at is not None or case.closed_at is not None:
        raise EditRefusedError("the case is decided already")
    judging.refuse_if_unreconciled(run)
    if case.kind not in judging.EDITABLE:
        raise EditRefusedError("a case like this one is not mended by another state")
    if run.status != record.HELD:
        raise EditRefusedError("the run is not on hold any more; load the page again")


def _judged(run: Run, case: Case, written: Written) -> Draft:
    refuse_if_not_editable(run, case)
    base = writing.base_of(run, graph_for(run), written.parent_seq)
    return writing.drafted(base, written)


def _retire(run: Run, actor: Actor) -> None:
    """One live edit per run: an open one is somebody's question, an old yes was never used."""
    live = EditRequest.objects.select_for_update(of=("self",)).select_related("author", "tenant")
    for edit in live.filter(run=run, state__in=states.LIVE):
        if edit.expires_at <= clock.now():
            ending.close(edit, states.EXPIRED, by="")
            ending.record(edit, ending.SWEEPER, "expire")
        elif edit.state == states.OPEN:
            raise EditRefusedError(
                f"{edit.author} has proposed one already; decide that, or withdraw it"
            )
        else:
            ending.close(edit, states.WITHDRAWN, by=actor.name, because=ours("Written anew."))
            ending.record(edit, actor, "withdraw", reason=ours("Written anew."))


def _create(case: Case, draft: Draft, reason: str, user: User) -> EditRequest:
    base, run = draft.base, draft.base.run
    asked_at = clock.now()
    expires_at = asked_at + EDIT_LIVES
    bound = _bound(case, draft, reason, user).sealed(
        nonce=secrets.token_hex(16), expires_at=expires_at
    )
    return EditRequest.objects.create(
        tenant=run.tenant,
        run=run,
        case=case,
        kind=base.kind,
        edit_hash=hashing.edit_hash(bound),
        bound=hashing.bound_bytes(bound),
        nonce=bound.nonce,
        parent_seq=base.loaded.seq,
        next_node=draft.next_node,
        schema=base.graph.state_schema,
        content=draft.content,
        diff=draft.diff,
        reason=reason,
        author=user,
        starter_id=run.started_by_id,
        on_behalf_of=run.on_behalf_of,
        asked_at=asked_at,
        expires_at=expires_at,
    )


def _bound(case: Case, draft: Draft, reason: str, user: User) -> Bound:
    base, run = draft.base, draft.base.run
    was = base.loaded.header.get("state")
    return Bound(
        kind=base.kind,
        tenant=run.tenant_id,
        run_id=str(run.pk),
        case_id=str(case.pk),
        author=user.pk,
        reason=reason,
        combo=run.combo.hex,
        fence=run.fence,
        head_seq=run.head,
        head_digest=judging.head_digest(run),
        parent_seq=base.loaded.seq,
        parent_digest=base.loaded.digest,
        was_schema=base.schema,
        was_next_node=base.loaded.next_node,
        was_state=str(was or ""),
        schema=base.graph.state_schema,
        next_node=draft.next_node,
        state=digests.sha256_hex(draft.content),
        diff_digest=digests.sha256_hex(draft.diff),
    )
