"""Doors as pages tell of them: one line each, and how many runs wait for it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from checkpoints.registry import agents
from reconciliation.doors import probing
from reconciliation.doors.models import Door
from tenants.models import Tenant

MOST: Final = 50
COUNTED_TO: Final = 10_000


@dataclass(frozen=True)
class Line:
    """A closed door and how many runs wait for it."""

    door: Door
    waiting: int


def closed(tenant_ids: Collection[int]) -> list[Line]:
    """The closed doors of these tenants, longest closed first."""
    shut = Door.objects.filter(tenant_id__in=tenant_ids, closed_at__isnull=False)
    return [_line(door) for door in shut.select_related("tenant").order_by("closed_at")[:MOST]]


def lately(tenant: Tenant) -> list[Door]:
    """The open doors that were closed once, newest first."""
    opened = Door.objects.filter(tenant=tenant, closed_at=None, opened_at__isnull=False)
    return list(opened.order_by("-opened_at")[:MOST])


def open_tools(tenant: Tenant) -> list[str]:
    """The tools whose door a person could close."""
    shut = Door.objects.filter(tenant=tenant, closed_at__isnull=False)
    return sorted(set(agents().TOOLS.by_name) - set(shut.values_list("tool", flat=True)))


def _line(door: Door) -> Line:
    return Line(door, probing.waiting_for(door)[: COUNTED_TO + 1].count())
