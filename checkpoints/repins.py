"""Moving a run to another combo, in the record: ordered, withdrawn, refused, or made at a boundary.

What the run has proposed is no business of this floor; execution.repinning looks at that, and is what
others call. PostgreSQL judges each move again (`migrations/0016_repins.sql`).
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from canonical.redaction import Fact, Redacted, Said, ours
from checkpoints import events, states, wakeups
from checkpoints.errors import RepinRefusedError
from checkpoints.models import Combo, Repin, Run
from checkpoints.models.repin import MOVED, REFUSED, ROLLBACK, SUCCESSOR, WITHDRAWN
from tenants import audit
from tenants.actors import Actor
from tenants.clock import ClockTimestamp
from tenants.keys import hiding


@dataclass(frozen=True)
class Cause:
    """Why a run may move at all: a rollback, which `reference` names, or a declared successor."""

    kind: str
    reference: UUID | None = None

    @classmethod
    def rollback(cls, reference: UUID) -> "Cause":
        return cls(ROLLBACK, reference)

    @classmethod
    def successor(cls) -> "Cause":
        return cls(SUCCESSOR)


def order(run: Run, to: Combo, *, why: Said, cause: Cause, actor: Actor) -> Repin:
    """Inside a transaction: from its next boundary on, the run is to go on under another combo.

    Locks the run, and wakes it. Raises `RepinRefusedError`.
    """
    locked, said = _locked(run.pk), hiding.said(why)
    _refuse_order(locked, to, said)
    repin = Repin.objects.create(
        run=locked,
        tenant_id=locked.tenant_id,
        from_combo_id=locked.combo_id,
        to_combo=to,
        why=said,
        cause=cause.kind,
        reference=cause.reference,
        person_id=actor.user_id,
        ordered_by=actor.name,
    )
    _tell(repin, locked, ours("ordered to move"), actor, why=hiding.text(said))
    wakeups.wake(locked.pk, why=ours("It is to move to another combo."))
    return repin


def withdraw(repin: Repin, *, why: Said, actor: Actor) -> Repin:
    """Inside a transaction: the run stays where it is. Raises `RepinRefusedError`, code *not_open*."""
    return _end(repin, WITHDRAWN, why, actor)


def refuse(repin: Repin, *, why: Said, actor: Actor) -> Repin:
    """Inside the transaction that holds the run: it cannot be moved, and why."""
    return _end(repin, REFUSED, why, actor)


def move(repin: Repin, *, actor: Actor) -> Repin:
    """Inside a transaction: the run goes on under the other combo from its head on.

    Nobody may be at it, and nothing of it out. Locks the run, and wakes it: what it waited for may
    have been its old combo's alone. Raises `RepinRefusedError`.
    """
    run = _locked(repin.run_id)
    _refuse_move(run, repin)
    Run.objects.filter(pk=run.pk).update(combo_id=repin.to_combo_id)
    _close(repin, ended=MOVED, seq=run.head)
    by = hiding.text(repin.ordered_by)
    _tell(repin, run, ours("moved to combo"), actor, seq=run.head, ordered_by=by)
    _say_so(run, repin)
    repin.refresh_from_db()
    return repin


def open_of(run_id: UUID) -> Repin | None:
    """The open order of a run, with both combos; None when there is none."""
    found = Repin.objects.filter(run_id=run_id, ended="")
    return found.select_related("from_combo", "to_combo").first()


def _say_so(run: Run, repin: Repin) -> None:
    said = hiding.text(f"Moved to combo {repin.to_combo}; goes on with the next free worker.")
    wakeups.wake(run.pk, why=said)
    # One that was due already says why it was.
    Run.objects.filter(pk=run.pk, status=states.QUEUED).update(sentence=str(said))


def _locked(run_id: UUID) -> Run:
    """The lock first, in a statement of its own; what is judged is read after it (rule 4)."""
    Run.objects.select_for_update().values_list("id").get(pk=run_id)
    return Run.objects.select_related("tenant", "combo").get(pk=run_id)


def _refuse_order(run: Run, to: Combo, said: str) -> None:
    if run.status in states.FINAL:
        raise RepinRefusedError("ended")
    if to.pk == run.combo_id:
        raise RepinRefusedError("there_already")
    if to.task_type != run.task_type:
        raise RepinRefusedError("other_task")
    if run.moving_to_id is not None:
        raise RepinRefusedError("ordered_already")
    if not said.strip():
        raise RepinRefusedError("no_reason")


def _refuse_move(run: Run, repin: Repin) -> None:
    if not Repin.objects.filter(pk=repin.pk, ended="").exists():
        raise RepinRefusedError("not_open")
    if run.status in states.FINAL:
        raise RepinRefusedError("ended")
    if run.status == states.RUNNING:
        raise RepinRefusedError("leased")
    if run.effect_in_flight is not None:
        raise RepinRefusedError("in_flight")


def _end(repin: Repin, how: str, why: Said, actor: Actor) -> Repin:
    run, said = _locked(repin.run_id), hiding.said(why)
    if not said.strip():
        raise RepinRefusedError("no_reason")
    _close(repin, ended=how, sentence=said)
    _tell(repin, run, ours("not moved"), actor, how=hiding.text(how), why=hiding.text(said))
    repin.refresh_from_db()
    return repin


def _close(repin: Repin, **end: Any) -> None:
    if Repin.objects.filter(pk=repin.pk, ended="").update(ended_at=ClockTimestamp(), **end) != 1:
        raise RepinRefusedError("not_open")


def _tell(repin: Repin, run: Run, what: Redacted, actor: Actor, **more: Fact) -> None:
    told: dict[str, Fact] = {
        "repin": repin.pk,
        "from_combo": hiding.text(repin.from_combo.hex),
        "to_combo": hiding.text(repin.to_combo.hex),
        "combo": hiding.text(str(repin.to_combo)),
        "cause": hiding.text(repin.cause),
        **more,
    }
    events.append(run.pk, what, actor, **told)
    audit.record(run.tenant, actor, what, ours("run %(id)s", id=run.pk), **told)
