"""Choosing, while a rollback is under way, what becomes of single runs of it."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from releases.rollbacks import phases
from releases.rollbacks.errors import RollbackRefusedError
from releases.rollbacks.models import Rollback, RollbackChoice, RollbackRun
from releases.rollbacks.proposing import locked, tell
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

MOST = 500


def choose(
    rollback_id: UUID, run_ids: Sequence[UUID], choice: str, *, why: str, user: User
) -> Rollback:
    """Choose for runs whose fate is not carried out yet; the sweeper carries it out in phase ⑤.

    Raises `RollbackRefusedError` (nothing of it is chosen then), `Denied`.
    """
    said = hiding.text(why.strip())
    if not str(said):
        raise RollbackRefusedError("say why: a choice needs a reason")
    if choice not in phases.CHOICES:
        raise RollbackRefusedError(f"{choice!r} is no choice; there are {phases.CHOICES}")
    with transaction.atomic():
        rollback = locked(rollback_id, user)
        if rollback.phase == phases.PLANNED:
            raise RollbackRefusedError("it was not started; propose it anew with another choice")
        rows = list(_open_rows(rollback, run_ids))
        if not rows or len(rows) != len(set(run_ids)):
            raise RollbackRefusedError("some of these runs are decided by now; load the page again")
        _refuse_impossible(rows, choice)
        RollbackChoice.objects.bulk_create(
            RollbackChoice(of=row, tenant_id=row.tenant_id, choice=choice, why=str(said), user=user)
            for row in rows
        )
        mine = RollbackRun.objects.filter(pk__in=[row.pk for row in rows], ended="")
        mine.update(choice=choice, chosen_by=user, said="")
        what = hiding.text(choice)
        tell(rollback, Actor.person(user), "chose for runs", choice=what, why=said, runs=len(rows))
    return rollback


def _open_rows(rollback: Rollback, run_ids: Sequence[UUID]) -> list[RollbackRun]:
    found = rollback.runs.select_for_update(of=("self",)).filter(run_id__in=run_ids, ended="")
    return list(found.order_by("pk")[:MOST])


def _refuse_impossible(rows: Sequence[RollbackRun], choice: str) -> None:
    """A forward-only run does not go on; one that is being cancelled is not called back."""
    for row in rows:
        if choice == phases.TO_GO_ON and row.kind == phases.FORWARD_ONLY:
            raise RollbackRefusedError(
                row.foreseen or "its state cannot be read by the older combo"
            )
        if row.run.cancel_requested_at is not None and choice not in (
            phases.TO_CANCEL,
            phases.TO_FORK,
        ):
            raise RollbackRefusedError("one of these runs is asked to end already")
