"""How many twins of a release do other things to the world than their live runs, of those compared."""

from datetime import datetime
from typing import Final
from uuid import UUID

from checkpoints.ids import lowest_id_at
from releases.gates import standing
from releases.gates.samples import Count
from releases.models import Move
from releases.numbers.subjects import LOOKED_AT, SHADOW, Subject
from releases.shadows import comparing
from tenants.database import execute

# A twin counts as the worst of its effects. Relies on compared_by_kind.
COMPARED: Final = """
SELECT count(*) FILTER (WHERE kind = ANY(%(diverges)s)),
       count(*) FILTER (WHERE kind = ANY(%(judged)s)),
       count(*)
  FROM (
    SELECT kind FROM releases_compared
     WHERE release_id = %(release)s AND run_id >= %(first)s::uuid
     ORDER BY run_id DESC LIMIT %(looked_at)s
  ) AS newest
"""


def count(subject: Subject) -> Count | None:
    """Since the release last became a shadow, its canary too: what twins do depends on no share.

    Other words are no other effect. Of a twin whose world moved, or that met trouble, nothing can be
    said: it is no part of the count, and no proof of anything. None beside a canary of which no
    twin was compared.
    """
    if subject.release is None:
        return None
    first = lowest_id_at(int(_since(subject.release, subject.since).timestamp() * 1000))
    diverged, judged, compared = execute(
        COMPARED,
        {
            "release": subject.release,
            "first": first,
            "looked_at": LOOKED_AT,
            "diverges": list(comparing.DIVERGES),
            "judged": list(comparing.JUDGED),
        },
    )[0]
    return Count(diverged, judged) if compared or subject.mode == SHADOW else None


def _since(release: UUID, moved_at: datetime) -> datetime:
    """When a person last made it a shadow: what was judged before it was stopped is judged no more."""
    made = Move.objects.filter(release=release, kind__in=(standing.BEGIN, standing.LIFT))
    newest = made.filter(ended="made").order_by("-number").values_list("ended_at", flat=True)
    return newest.first() or moved_at
