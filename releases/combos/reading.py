"""Which combos there are: by what names, since when, who can run them, and how many runs they have."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from canonical import json as canonical
from checkpoints import registry, states
from checkpoints.models import Combo, Registration, Route, Run
from execution import announcing
from tenants.models import Tenant

MOST: Final = 50
COUNTED_TO: Final = 10_000


@dataclass(frozen=True)
class Listed:
    """One combo: what it was registered as (newest first), the live workers that can run it, and
    how many runs that have not ended are pinned to it.
    """

    combo: Combo
    registrations: Sequence[Registration]
    workers: Sequence[str]
    runs: int

    @property
    def digest(self) -> str:
        """In hex."""
        return self.combo.hex

    @property
    def code(self) -> str:
        """The beginning of its code part, as a run says it that no worker can run."""
        return announcing.code_of(self.combo)[:12]

    @property
    def variants(self) -> list[str]:
        """Each name once; "" is the task's own files."""
        return sorted({each.variant for each in self.registrations})


def seen_by(tenant: Tenant) -> QuerySet[Combo]:
    """The combos that a tenant may see: its runs or releases use them, or they can be run here."""
    alive = [bytes.fromhex(code) for code in announcing.alive()]
    used = Run.objects.filter(tenant=tenant, combo=OuterRef("pk"))
    here = Q(code_part__in=alive) | Q(pk__in=registry.of_this_code().values("pk"))
    own = Route.objects.filter(tenant=tenant)
    routed = own.filter(Q(stable=OuterRef("pk")) | Q(candidate=OuterRef("pk")))
    return Combo.objects.filter(here | Exists(used) | Exists(routed))


def listed(found: QuerySet[Combo], tenant: Tenant | None = None) -> list[Listed]:
    """The newest of these, at most `MOST`; runs of the tenant, or of all."""
    combos = list(found.defer("manifest").order_by("-pk")[:MOST])
    names: dict[int, list[Registration]] = {each.pk: [] for each in combos}
    for registration in Registration.objects.filter(combo__in=combos).order_by("-at"):
        names[registration.combo_id].append(registration)
    workers, runs = announcing.workers(), live_runs(combos, tenant)
    return [
        Listed(
            combo,
            names[combo.pk],
            [each.name for each in workers if announcing.has_code(each, combo)],
            runs[combo.pk],
        )
        for combo in combos
    ]


def live_runs(combos: Iterable[Combo], tenant: Tenant | None = None) -> Counter[int]:
    """How many runs that have not ended are pinned to each; of the first `COUNTED_TO` runs."""
    of = {"tenant": tenant} if tenant else {}
    runs = Run.objects.filter(combo__in=list(combos), status__in=states.LIVE, **of)
    return Counter(runs.values_list("combo_id", flat=True)[:COUNTED_TO])


def by_digest(found: QuerySet[Combo], digest: str) -> Combo:
    """The combo of this digest. Raises `Combo.DoesNotExist`."""
    return found.get(digest=bytes.fromhex(digest))


def manifest_of(combo: Combo) -> dict[str, Any]:
    """What a combo says, whole."""
    return canonical.loads_object(bytes(combo.manifest))
