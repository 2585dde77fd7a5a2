"""Committing: the engine makes an approved edit the run's next checkpoint, once, if it still may.

The checkpoint and the end of the edit are one statement. Whatever does not hold any more holds the
run again: without the state that people allowed it would only meet its trouble again.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import jsonschema
from django.db import IntegrityError

from approvals import clock, states
from approvals.errors import DamagedRequestError
from approvals.models import EditRequest
from canonical import json as canonical
from canonical.redaction import Fact, ours
from checkpoints import blobs, commits
from checkpoints.boundaries import boundary
from checkpoints.cases import Trouble
from checkpoints.commits import Committed, Lease, Rider
from checkpoints.graph import END
from checkpoints.headers import Ancestry, Step
from checkpoints.migrators import check_schema
from checkpoints.models import Verdict
from execution.context import visible
from execution.edits import judging
from execution.edits.errors import EditRefusedError
from execution.edits.writing import NODE_OF
from execution.errors import Hold
from execution.work import Commit, Work
from reconciliation import ledger
from reconciliation import states as world
from reconciliation.models import Action
from tenants.keys import hiding, vaults

# By primary key. The guards are judged after the lock of the run is held, which `head` takes; the
# trigger `edit_keeps_what_was_shown` judges the same again.
USE: Final = """
UPDATE approvals_editrequest
   SET state = 'used', used_seq = %(seq)s, closed_at = clock_timestamp(), closed_by = 'worker'
  FROM head
 WHERE approvals_editrequest.id = %(e_id)s AND run_id = head.id
   AND approvals_editrequest.state = 'approved' AND expires_at > clock_timestamp()
RETURNING approvals_editrequest.id
"""


@dataclass(frozen=True)
class Wanted:
    """An edit that a second person allowed and that is no checkpoint yet, and whose case it was."""

    edit: EditRequest
    case_kind: str


def wanted(newest: Verdict | None) -> Wanted | None:
    """The edit that the newest verdict on the run is about, unless it is committed already."""
    if newest is None or newest.verdict not in NODE_OF:
        return None
    known = EditRequest.objects.select_related("author", "tenant", "decision__user")
    edit = known.get(pk=UUID(newest.detail["edit"]), run_id=newest.case.run_id)
    return None if edit.state == states.USED else Wanted(edit, newest.case.kind)


def commit(work: Work, found: Wanted) -> None:
    """Commit the edit on top of the checkpoint it was written for; `work.loaded` is that one.

    Raises `Hold` when it does not hold any more, `LeaseLostError` as every commit does.
    """
    try:
        _judge(work, found.edit)
        step = _step(work, found.edit)
    except (EditRefusedError, DamagedRequestError, jsonschema.ValidationError) as error:
        raise Hold(_not_committed(found, str(error))) from error
    _make_way(work, found.edit)
    try:
        work.commit_after(work.loaded.ancestry(work.run), step, through=_using(found.edit))
    except IntegrityError as error:
        raise Hold(_not_committed(found, "it was withdrawn, or its time was over")) from error


def _judge(work: Work, edit: EditRequest) -> None:
    run = work.run
    if edit.state != states.APPROVED:
        raise EditRefusedError(f"it is {edit.state} ({edit.closed_by or 'the clock'})")
    if edit.expires_at <= clock.now():
        raise EditRefusedError("it is expired")
    bound = judging.bound_of(edit)
    if not judging.still_stands(edit):
        raise EditRefusedError(f"{edit.decision.user} may not allow it any more")
    judging.refuse_if_unreconciled(run)
    now = (run.head, work.lease.head, judging.head_digest(run), work.loaded.digest)
    if now != (bound.head_seq, bound.head_seq, bound.head_digest, bound.parent_digest):
        raise EditRefusedError("the run has moved since it was written")
    if (bound.schema, bound.combo) != (work.graph.state_schema, run.combo.hex):
        raise EditRefusedError("the code of the run is another than it was written for")


def _step(work: Work, edit: EditRequest) -> Step:
    content = bytes(edit.content)
    stored = canonical.loads_object(content)
    state = vaults.vault_of(work.run.tenant_id).decrypted(stored)
    check_schema(work.graph, visible(state), edit.schema)
    return Step(
        node=NODE_OF[edit.kind],
        next_node=edit.next_node,
        state=content,
        schema=edit.schema,
        blobs=tuple(dict.fromkeys(blobs.named_in(stored))),
        # A run that was to end without success still is, unless it goes on with a node.
        stop=str(work.loaded.header.get("stop", "")) if edit.next_node == END else "",
        edit=edit.edit_hash,
        parsed=state,
    )


def _make_way(work: Work, edit: EditRequest) -> None:
    """What was proposed from the old state is left behind; an outcome that is known is kept."""
    action = ledger.open_action(work.run.pk)
    if action is not None and not _absorbs(work, edit, action):
        ledger.give_up_proposal(action, reason=ours("The state was written anew by hand."))


def _absorbs(work: Work, edit: EditRequest, action: Action) -> bool:
    """Whether the run goes on with the very node that has to hear what became of the action."""
    is_there = edit.parent_seq == work.lease.head and edit.next_node == action.node
    return action.stands == world.SETTLED and is_there


def _using(edit: EditRequest) -> Commit:
    def through(lease: Lease, before: Ancestry, step: Step) -> Committed:
        boundary("edit:before")
        rider = Rider(USE, {"e_id": edit.pk}, "the edit is not there to be used")
        committed = commits.commit(lease, before, step, rider=rider)
        boundary("edit:after")
        return committed

    return through


def _not_committed(found: Wanted, why: str) -> Trouble:
    said = hiding.text(f"The state written by hand was not committed: {why}.")
    facts: dict[str, Fact] = {"error": ours("edit not committed"), "edit": found.edit.pk}
    return Trouble(found.case_kind, said, facts)
