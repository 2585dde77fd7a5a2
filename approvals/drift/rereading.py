"""What a person has read already, in an earlier question about the same action: the same bytes."""

from collections.abc import Iterable
from typing import Final

from approvals.models import ApprovalRequest, OpenedPart
from approvals.showing.shown import Part
from tenants.models import User

FILE: Final = "file/"


def carried(asked: ApprovalRequest, user: User, parts: Iterable[Part]) -> frozenset[str]:
    """The names of those parts whose very bytes this person opened in an earlier question.

    What they opened then stays on record there; nothing is recorded as opened here.
    """
    if asked.replaces_id is None:
        return frozenset()
    earlier = OpenedPart.objects.filter(
        user=user, request__action_id=asked.action_id, request__revision__lt=asked.revision
    )
    read = {_what(name, digest) for name, digest in earlier.values_list("part", "digest")}
    return frozenset(part.name for part in parts if _what(part.name, part.digest) in read)


def _what(name: str, digest: str) -> tuple[str, str]:
    """What was read. A page of values is no range of bytes: all of them carry the digest of the
    whole, so only its name tells it from the others. A file may have got another number."""
    return (FILE if name.startswith(FILE) else name), digest
