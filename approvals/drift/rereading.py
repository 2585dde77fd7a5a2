"""What a person has read already, in an earlier question about the same action: the same bytes."""

from collections.abc import Iterable

from approvals.models import ApprovalRequest, OpenedPart
from approvals.showing.shown import Part
from tenants.models import User


def carried(asked: ApprovalRequest, user: User, parts: Iterable[Part]) -> frozenset[str]:
    """The names of those parts whose very bytes this person opened in an earlier question.

    What they opened then stays on record there; nothing is recorded as opened here.
    """
    if asked.replaces_id is None:
        return frozenset()
    earlier = OpenedPart.objects.filter(
        user=user, request__action_id=asked.action_id, request__revision__lt=asked.revision
    )
    read = set(earlier.values_list("digest", flat=True))
    return frozenset(part.name for part in parts if part.digest in read)
