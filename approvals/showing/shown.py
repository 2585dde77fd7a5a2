"""Which parts of a request people opened: recorded by the page that shows them, read as evidence."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from approvals.models import ApprovalRequest
from approvals.models.openings import OpenedPart
from tenants.models import User


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what a request shows: its name, its bytes' place and their digest (see `OpenedPart`)."""

    name: str
    from_byte: int
    to_byte: int
    digest: str


def record(request_id: UUID, user: User, parts: Iterable[Part]) -> None:
    """Keep that the person was shown these parts; one they opened before keeps its first time.

    Never decides and never refuses: two pages opened at once leave one row.
    """
    record_all(user, {request_id: parts})


def record_all(user: User, parts_of: Mapping[UUID, Iterable[Part]]) -> None:
    """The same for a page that shows parts of many requests."""
    rows = [
        OpenedPart(
            request_id=request_id,
            user=user,
            part=part.name,
            from_byte=part.from_byte,
            to_byte=part.to_byte,
            digest=part.digest,
        )
        for request_id, parts in parts_of.items()
        for part in parts
    ]
    OpenedPart.objects.bulk_create(rows, ignore_conflicts=True)


def opened(request: ApprovalRequest) -> list[OpenedPart]:
    """What everybody opened of this request, first opened first, with `user`."""
    found = OpenedPart.objects.filter(request=request).select_related("user")
    return list(found.order_by("at", "id"))


def opened_by(request: ApprovalRequest, user: User) -> frozenset[str]:
    """The names of the parts this person opened."""
    found = OpenedPart.objects.filter(request=request, user=user)
    return frozenset(found.values_list("part", flat=True))


def opened_of_all(requests: Iterable[UUID], user: User) -> Mapping[UUID, set[str]]:
    """The same of many requests at once; a request of which nothing was opened has no names."""
    found = OpenedPart.objects.filter(request__in=list(requests), user=user)
    names: dict[UUID, set[str]] = defaultdict(set)
    for request_id, part in found.values_list("request_id", "part"):
        names[request_id].add(part)
    return names
