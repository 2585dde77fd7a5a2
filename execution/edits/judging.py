"""What is judged under the locks of run, case and edit: who may, what is unreconciled, what moved."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from approvals import clock, states
from approvals.edits import hashing, waiting
from approvals.edits.hashing import Bound
from approvals.errors import AlreadyDecidedError, DamagedRequestError, NotPermittedError
from approvals.hashing import Difference, timestamp
from approvals.models import EditRequest
from canonical import digests
from checkpoints import reading
from checkpoints import states as record
from checkpoints.models import Case, Checkpoint, Run
from execution.edits.errors import UnreconciledError
from reconciliation import ledger
from reconciliation import states as world
from tenants import access
from tenants.actors import Actor
from tenants.models import User

# The cases whose trouble may lie in the state. The others are about an effect, or about the world.
EDITABLE: Final = frozenset(
    {
        record.CRASH_LOOP,
        record.DAMAGED_CHECKPOINT,
        record.INVALID_OUTPUT,
        record.MISSING_BLOB,
        record.UNMIGRATABLE,
        record.WORLD_CHANGED,
    }
)
WRITING: Final = ("reconcile_actions", "read_payloads", "view_runs")
MAY_WITHDRAW: Final = frozenset({"approve_actions", "operate_runs", "reconcile_actions"})


@dataclass(frozen=True)
class Desk:
    """An edit with its run and case: all locked, in the order run → case → edit."""

    run: Run
    case: Case
    edit: EditRequest


def locked(edit_id: UUID) -> Desk:
    """Lock an edit, its case and its run. Raises `EditRequest.DoesNotExist`."""
    run_id, case_id = EditRequest.objects.values_list("run_id", "case_id").get(pk=edit_id)
    run = (
        Run.objects.select_for_update(of=("self",)).select_related("combo", "tenant").get(pk=run_id)
    )
    case = Case.objects.select_for_update().get(pk=case_id)
    edit = EditRequest.objects.select_for_update(of=("self",)).select_related("author", "tenant")
    return Desk(run, case, edit.get(pk=edit_id))


def admit_author(case: Case, *, actor: Actor, user: User) -> None:
    """Refuse everybody who may not write a state. Raises `NotPermittedError`.

    A machine is refused before any right is read: its credential may carry a person's rights.
    """
    _refuse_machine(case.pk, actor, user)
    rights = access.of(user).rights.get(case.tenant_id, frozenset())
    if not set(WRITING) <= rights:
        raise NotPermittedError("no_right", case.pk)


def admit_second(edit: EditRequest, *, actor: Actor, user: User) -> None:
    """Refuse everybody who may not decide this edit, its author first. Raises `NotPermittedError`."""
    _refuse_machine(edit.pk, actor, user)
    rights = access.of(user).rights.get(edit.tenant_id, frozenset())
    code = waiting.why_not(edit, user_id=user.pk, email=user.email, rights=rights)
    if code:
        raise NotPermittedError(code, edit.pk)


def admit_withdrawal(edit: EditRequest, *, actor: Actor, user: User) -> None:
    """Its author, and those who decide, stop and reconcile may take it away."""
    _refuse_machine(edit.pk, actor, user)
    rights = access.of(user).rights.get(edit.tenant_id, frozenset())
    if edit.author_id != user.pk and not rights & MAY_WITHDRAW:
        raise NotPermittedError("no_right", edit.pk)


def still_stands(edit: EditRequest) -> bool:
    """Whether the yes of the second person counts now: active, and with the right to say it."""
    decision = edit.decision
    if decision.verdict != states.APPROVE or decision.posted_hash != edit.edit_hash:
        return False
    if decision.user_id in (edit.author_id, edit.starter_id):
        return False
    return bool(access.who_may(edit.tenant_id, "approve_actions", [decision.user_id]))


def refuse_if_unreconciled(run: Run) -> None:
    """Rule 12: a state is not changed while an effect is out. Raises `UnreconciledError`."""
    action = ledger.open_action(run.pk)
    is_out = action is not None and action.stands != world.SETTLED and action.attempts.exists()
    if run.effect_in_flight is not None or is_out:
        what = action.describe if action is not None else run.effect_in_flight
        raise UnreconciledError(f"still open: {what}")


def refuse_if_not_open(edit: EditRequest) -> None:
    """Raises `AlreadyDecidedError` for an edit that is closed, or that the clock has closed."""
    if edit.state != states.OPEN:
        raise AlreadyDecidedError(edit.pk, state=edit.state, by=edit.closed_by, at=edit.closed_at)
    if edit.expires_at <= clock.now():
        raise AlreadyDecidedError(edit.pk, state=states.EXPIRED, by="", at=edit.expires_at)


def bound_of(edit: EditRequest) -> Bound:
    """What the edit is bound to, recomputed from what is stored. Raises `DamagedRequestError`."""
    try:
        bound = hashing.from_bytes(bytes(edit.bound))
    except (ValueError, TypeError) as error:
        raise DamagedRequestError(f"edit {edit.pk}: {error}") from error
    stored = replace(
        bound,
        kind=edit.kind,
        tenant=edit.tenant_id,
        run_id=str(edit.run_id),
        case_id=str(edit.case_id),
        author=edit.author_id,
        reason=edit.reason,
        parent_seq=edit.parent_seq,
        schema=edit.schema,
        next_node=edit.next_node,
        state=digests.sha256_hex(bytes(edit.content)),
        diff_digest=digests.sha256_hex(bytes(edit.diff)),
        nonce=edit.nonce,
        expires_at=timestamp(edit.expires_at),
    )
    wrong = hashing.differences(bound, stored)
    if wrong or hashing.edit_hash(bound) != edit.edit_hash:
        raise DamagedRequestError(f"edit {edit.pk} does not match its hash", wrong)
    return bound


def moved(desk: Desk) -> list[Difference]:
    """What the edit was written for and is not so any more; to be asked while the run is held."""
    saw = bound_of(desk.edit)
    now = replace(
        saw,
        fence=desk.run.fence,
        head_seq=desk.run.head,
        head_digest=head_digest(desk.run),
        combo=desk.run.combo.hex,
    )
    found = hashing.differences(saw, now)
    if desk.run.status != record.HELD:
        found.append(Difference("run", record.HELD, desk.run.status))
    if desk.case.decided_at is not None or desk.case.closed_at is not None:
        became = "closed" if desk.case.closed_at is not None else "decided"
        found.append(Difference("case", "open", became))
    return found


def head_digest(run: Run) -> str:
    """The digest (hex) of the run's latest checkpoint; of none, the genesis it starts from."""
    if run.head == 0:
        return reading.load(run, 0).digest
    found = Checkpoint.objects.filter(run_id=run.pk, seq=run.head)
    return bytes(found.values_list("digest", flat=True).get()).hex()


def _refuse_machine(subject: UUID, actor: Actor, user: User) -> None:
    if (actor.kind, actor.user_id, user.kind) != ("person", user.pk, User.Kind.PERSON):
        raise NotPermittedError("machine", subject)
