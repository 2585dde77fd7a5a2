"""What the System page says of each process: the code it can run, and the run it is at."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Max

from checkpoints import states
from checkpoints.models import Combo, Run
from execution import announcing
from execution.pages.machine import Alive

MOST_CODES: Final = 50
DIGITS: Final = 12


@dataclass(frozen=True)
class Code:
    """One code part in hex. `task_type` "": of no combo here. `newest`: the code it is older than."""

    digest: str
    task_type: str = ""
    newest: str = ""

    @property
    def short(self) -> str:
        """As other pages name it too."""
        return self.digest[:DIGITS]

    @property
    def short_newest(self) -> str:
        """The newest code of the same task type, if this one is older."""
        return self.newest[:DIGITS]


@dataclass(frozen=True)
class Line:
    """One process, the codes it has announced, and the run it is at, if that may be seen."""

    alive: Alive
    codes: Sequence[Code]
    run: Run | None


def lines(alive: Sequence[Alive], *, seen: Collection[int]) -> list[Line]:
    """Each process; its run only where that is of a tenant in `seen` (ids)."""
    announced = [each.process.facts.get("codes", [])[:MOST_CODES] for each in alive]
    codes = _codes({str(code) for some in announced for code in some})
    runs = _runs(alive, seen)
    return [
        Line(
            each,
            sorted((codes[str(code)] for code in some), key=lambda code: code.task_type),
            runs.get(_holder(each)),
        )
        for each, some in zip(alive, announced, strict=True)
    ]


def _codes(digests: set[str]) -> dict[str, Code]:
    """Each by its digest. The newest code of a task type is that of its newest combo."""
    parts = [bytes.fromhex(digest) for digest in digests]
    # Rely on combos_by_code_part and combos_by_task_newest.
    made = (
        Combo.objects.filter(code_part__in=parts).values_list("code_part", "task_type").distinct()
    )
    task_types = {bytes(part).hex(): task_type for part, task_type in made}
    of_types = Combo.objects.filter(task_type__in=set(task_types.values())).values("task_type")
    newest = {
        combo.task_type: announcing.code_of(combo)
        for combo in Combo.objects.filter(
            pk__in=of_types.annotate(newest=Max("id")).values("newest")
        ).defer("manifest")
    }
    return {digest: _code(digest, task_types.get(digest, ""), newest) for digest in digests}


def _code(digest: str, task_type: str, newest: dict[str, str]) -> Code:
    is_newest = newest.get(task_type, digest) == digest
    return Code(digest, task_type, "" if is_newest else newest[task_type])


def _runs(alive: Sequence[Alive], seen: Collection[int]) -> dict[str, Run]:
    """The run that each holder is at. Relies on runs_leased."""
    holders = {_holder(each) for each in alive} - {""}
    found = Run.objects.filter(tenant__in=seen, status=states.RUNNING, holder__in=holders)
    found = found.select_related("tenant").only("business_key", "holder", "tenant")
    return {str(run.holder): run for run in found}


def _holder(alive: Alive) -> str:
    return str(alive.process.facts.get("holder") or "")
