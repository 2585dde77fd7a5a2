"""Takes a run from a worker that renews its lease and does nothing: a person's act, never a clock's."""

from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from canonical.redaction import Said, ours
from checkpoints import events, knowing, recoveries, states, wakeups
from checkpoints.boundaries import boundary
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Run
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding

RIGHT: Final = "operate_runs"


def revoke(run_id: UUID, *, reason: Said, actor: Actor) -> Run:
    """Take a run from the worker that has it; it is due again at once, from its last checkpoint.

    The fence grows (rule 11): whatever the old worker still writes is refused, and what it has sent
    is an attempt without an answer, found out like any other before anything more is sent.
    Raises `IllegalMoveError` when nobody works on the run or no reason is given, `Denied`.
    """
    boundary("revoke:before")
    with transaction.atomic():
        run = Run.objects.select_for_update().select_related("tenant").get(id=run_id)
        if actor.user_id is not None and actor.user_id not in access.who_may(
            run.tenant_id, RIGHT, [actor.user_id]
        ):
            raise Denied(run.tenant_id, RIGHT)
        said = knowing.words(hiding.said(reason), of=[run_id])
        if not str(said).strip():
            raise IllegalMoveError("say why: it stands in the audit trail")
        _take(run, actor)
        # Noted with the fence that it had: a recovery is of an interrupted lease.
        recoveries.begin(run_id, fence=run.fence, why=hiding.text(f"{actor.name} revoked it"))
        was = {"fence": run.fence, "head": run.head, "holder": run.holder}
        events.append(run_id, "revoked", actor, why=said, **was)
        subject = ours("run %(id)s", id=run_id)
        audit.record(run.tenant, actor, "revoked", subject, why=said, **was)
        transaction.on_commit(lambda: wakeups.ring(run_id))
    boundary("revoke:after")
    run.refresh_from_db()
    return run


def _take(run: Run, actor: Actor) -> None:
    sentence = f"{actor.name} took it from its worker. Goes on with the next free worker."
    hit = Run.objects.filter(pk=run.pk, status=states.RUNNING, fence=run.fence).update(
        status=states.QUEUED,
        reason=states.INTERRUPTED,
        sentence=hiding.said(hiding.text(sentence)),
        fence=F("fence") + 1,
        holder=None,
        lease_until=None,
        due_at=Now(),
    )
    if hit != 1:
        raise IllegalMoveError(f"nobody works on this run now: it is {run.status}")
