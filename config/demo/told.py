"""What became of the runs whose plug was pulled, each in the words of its record."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from checkpoints.models import Recovery, Run
from config.demo import plugs, world
from config.demo.twin.asked import PUSH
from config.demo.world import Row
from execution.pages import takeovers
from reconciliation.models import Attempt, LookUp
from tenants import moments
from tenants.models import Tenant

RECOVERIES = 3


@dataclass(frozen=True)
class Told:
    """One run whose plug was armed. `arrived` is None until its push was asked for."""

    run: Run
    sentences: tuple[str, ...]
    at: datetime | None
    arrived: Row | None
    is_over: bool


def of(tenant: Tenant) -> list[Told]:
    """The runs of this tenant whose plug was armed, the newest first."""
    found = Run.objects.filter(id__in=plugs.runs(), tenant=tenant).defer("input").in_bulk()
    rows = {row.run: row for row in world.seen().rows if row.kind == PUSH}
    return [_told(found[id_], rows.get(str(id_))) for id_ in plugs.runs() if id_ in found]


def _told(run: Run, arrived: Row | None) -> Told:
    recoveries = list(Recovery.objects.filter(run=run).order_by("noticed_at")[:RECOVERIES])
    attempts = list(Attempt.objects.filter(action__run=run).order_by("dispatched_at")[:20])
    if not attempts:
        sentences = [_("Your yes is recorded; a worker takes the push to the remote now.")]
    elif plugs.plug_of(run.id).exists():
        sentences = [_("The push is on its way.")]
    else:
        pulled = _("Sent at %(at)s UTC. The remote took it; then the plug was pulled.")
        sentences = [pulled % {"at": moments.clock(attempts[0].dispatched_at)}]
        sentences += _recovered(run.id, recoveries, attempts) or [_("Nobody has noticed yet.")]
    settled = bool(recoveries) and all(each.ended for each in recoveries)
    return Told(
        run=run,
        sentences=tuple(sentences),
        at=recoveries[0].noticed_at if recoveries else None,
        arrived=arrived,
        is_over=settled and arrived is not None,
    )


def _recovered(
    run_id: UUID, recoveries: Sequence[Recovery], attempts: Sequence[Attempt]
) -> list[str]:
    look_ups = list(LookUp.objects.filter(attempt__action__run=run_id).order_by("at")[:100])
    return [
        takeovers.sentence(each, takeovers.asked_during(each, attempts, look_ups))
        for each in recoveries
    ]
