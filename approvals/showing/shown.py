"""Which parts of a request people opened: recorded by the page that shows them, read as evidence."""

from collections.abc import Iterable
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
    OpenedPart.objects.bulk_create(
        [
            OpenedPart(
                request_id=request_id,
                user=user,
                part=part.name,
                from_byte=part.from_byte,
                to_byte=part.to_byte,
                digest=part.digest,
            )
            for part in parts
        ],
        ignore_conflicts=True,
    )


def opened(request: ApprovalRequest) -> list[OpenedPart]:
    """What everybody opened of this request, first opened first, with `user`."""
    found = OpenedPart.objects.filter(request=request).select_related("user")
    return list(found.order_by("at", "id"))


def opened_by(request: ApprovalRequest, user: User) -> frozenset[str]:
    """The names of the parts this person opened."""
    found = OpenedPart.objects.filter(request=request, user=user)
    return frozenset(found.values_list("part", flat=True))
