"""What the page reads of the twins of a release: counts, examples, divergence by effect. Bounded.

The gates count twins instead of effects: `releases.numbers.diverging`.
"""

from dataclasses import dataclass, field
from typing import Final

from django.db.models import Avg, Count, Q, QuerySet

from checkpoints import states
from checkpoints.models import Event, Twin
from execution.drills import STRUCK
from releases.gates import samples
from releases.models import Release
from releases.shadows import comparing
from releases.shadows.models import Compared
from tenants.database import execute

EXAMPLES: Final = 5
ROWS: Final = 100
LOOKED_AT: Final = 20_000


@dataclass(frozen=True)
class Pair:
    """A mean of the twins beside that of their live runs, over so many; None of none."""

    twin: float | None
    live: float | None
    of: int


@dataclass(frozen=True)
class Tally:
    """The twins of a release: all that were started, those under way, and how the others compare."""

    started: int
    under_way: int
    kinds: dict[str, int]
    same_path: int
    tokens: Pair
    ms: Pair
    drills: int
    struck: int
    divergence: dict[str, samples.Count] = field(default_factory=dict)

    @property
    def compared(self) -> int:
        return sum(self.kinds.values())


def tally(release: Release) -> Tally:
    """Everything that the page of its shadows counts."""
    twins = Twin.objects.filter(series=release.pk)
    kept = Compared.objects.filter(release=release)
    drills = twins.filter(dies_at__isnull=False)
    struck = Event.objects.filter(run_id__in=drills.values("run_id"), what=STRUCK)
    return Tally(
        started=twins.count(),
        under_way=twins.filter(run__status__in=states.LIVE).count(),
        kinds=kinds(release),
        same_path=kept.filter(same_path=True).count(),
        tokens=_pair(kept, "tokens"),
        ms=_pair(kept, "ms"),
        drills=drills.count(),
        struck=struck.count(),
        divergence=divergence(release),
    )


def kinds(release: Release) -> dict[str, int]:
    """How many of the compared twins are of each kind, the worst first. Index: compared_by_kind."""
    kept = Compared.objects.filter(release=release)
    counted = dict(kept.values_list("kind").annotate(n=Count("pk")).order_by())
    return {kind: counted[kind] for kind in comparing.KINDS if kind in counted}


def examples(release: Release, kind: str, most: int = EXAMPLES) -> list[Compared]:
    """The newest twins of a kind. Index: compared_by_kind."""
    found = Compared.objects.filter(release=release, kind=kind).select_related("run", "live")
    return list(found.defer("run__input", "live__input").order_by("-run")[:most])


# Of the newest twins, effect by effect. Index: compared_by_kind.
DIVERGENCE: Final = """
SELECT effect ->> 'reversibility',
       count(*) FILTER (WHERE effect ->> 'kind' = ANY(%(diverges)s)),
       count(*) FILTER (WHERE effect ->> 'kind' = ANY(%(judged)s)),
       count(*) FILTER (WHERE NOT effect ->> 'kind' = ANY(%(judged)s))
  FROM (
    SELECT effects FROM releases_compared WHERE release_id = %(release)s
     ORDER BY run_id DESC LIMIT %(looked_at)s
  ) AS newest
 CROSS JOIN LATERAL jsonb_array_elements(effects) AS effect
 GROUP BY 1 ORDER BY 1
"""


def divergence(release: Release) -> dict[str, samples.Count]:
    """Effects that diverge of those that can be judged, by reversibility of their tool ("" is unknown)."""
    rows = execute(
        DIVERGENCE,
        {
            "release": release.pk,
            "looked_at": LOOKED_AT,
            "diverges": list(comparing.DIVERGES),
            "judged": list(comparing.JUDGED),
        },
    )
    return {str(said or ""): samples.Count(hits, of, unread) for said, hits, of, unread in rows}


def _pair(kept: QuerySet[Compared], what: str) -> Pair:
    """Of twins that came to their end alone: who stopped before has not cost all it would."""
    both = kept.filter(~Q(**{what: None}), ~Q(**{f"live_{what}": None}), ended=comparing.AT_END)
    found = both.aggregate(twin=Avg(what), live=Avg(f"live_{what}"), of=Count("pk"))
    return Pair(found["twin"], found["live"], found["of"])
