"""What waits at a tenant for a task type: paused runs and the questions of people, by combo. Bounded."""

from collections import Counter
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from approvals import clock
from approvals import states as asked
from approvals.models import ApprovalRequest
from checkpoints import states
from checkpoints.models import Run
from releases.models import Release

PAUSED: Final = (states.QUEUED, states.WAITING, states.HELD)
COUNTED_TO: Final = 10_000


def paused(release: Release) -> QuerySet[Run]:
    """Its tenant's runs of the task type that are under way and that no worker holds now."""
    return Run.objects.filter(
        tenant=release.tenant_id,
        task_type=release.task_type,
        mode=states.LIVE_MODE,
        status__in=PAUSED,
    )


def runs_by_combo(release: Release) -> Counter[int]:
    """How many of them there are per combo, of the first `COUNTED_TO`."""
    return Counter(paused(release).values_list("combo_id", flat=True)[:COUNTED_TO])


def questions(release: Release) -> list[tuple[UUID, str, int]]:
    """Run, tool and combo of each question that waits, or whose yes no effect has used yet."""
    live = ApprovalRequest.objects.filter(
        tenant=release.tenant_id,
        state__in=asked.LIVE,
        expires_at__gt=clock.ClockTimestamp(),
        run__task_type=release.task_type,
        run__mode=states.LIVE_MODE,
    )
    return list(live.order_by("pk").values_list("run_id", "tool", "run__combo")[:COUNTED_TO])
