"""What will happen to the runs of a combo when its release is rolled back, before anything moves."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.db.models import QuerySet

from checkpoints import states
from checkpoints.models import Combo, Run
from execution import repinforecast
from execution.repinforecast import Foreseen
from releases.rollbacks import phases
from tenants.models import Tenant

# Of the forecast's kinds; whoever ended or is there already is no run of the rollback.
KIND_OF: Final = {
    repinforecast.SAME_SCHEMA: phases.CONTINUES,
    repinforecast.DOWN_MIGRATOR: phases.MIGRATES,
    repinforecast.FORWARD_ONLY: phases.FORWARD_ONLY,
    repinforecast.PINNED_BY_APPROVAL: phases.PINNED,
    repinforecast.IN_FLIGHT: phases.IN_FLIGHT,
}


@dataclass(frozen=True)
class Outlook:
    """The runs of a combo that have not ended, oldest first, each with what is foreseen."""

    runs: tuple[Foreseen, ...]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many runs there are of each kind."""
        counted = Counter(kind(each) for each in self.runs)
        return {name: counted[name] for name in phases.KINDS}

    @property
    def forward_only(self) -> list[Foreseen]:
        """The runs whose state the older combo cannot read, nor any migrator make it readable."""
        return [each for each in self.runs if kind(each) == phases.FORWARD_ONLY]

    @property
    def boundaries(self) -> list[list[int]]:
        """From which schema to which a migrator is missing."""
        found = {(each.schema or 0, each.reads or 0) for each in self.forward_only}
        return [list(each) for each in sorted(found)]


def of_combo(tenant: Tenant, combo: Combo) -> QuerySet[Run]:
    """The live runs of a combo that have not ended. Relies on runs_by_tenant_and_combo."""
    found = Run.objects.filter(tenant=tenant, combo=combo, mode=states.LIVE_MODE)
    return found.exclude(status__in=states.FINAL)


def look(runs: QuerySet[Run], onto: Combo) -> Outlook:
    """What is foreseen of each of these runs when it is to go on under `onto`. Reads only."""
    found = repinforecast.forecast(runs, onto)
    return Outlook(tuple(each for each in found if kind(each)))


def kind(foreseen: Foreseen) -> str:
    """One of `phases.KINDS`; "" for a run that is none of the rollback."""
    found = KIND_OF.get(foreseen.kind, "")
    if foreseen.is_held and found not in ("", phases.FORWARD_ONLY):
        return phases.ON_HOLD
    return found
