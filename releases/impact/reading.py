"""The impact of one move of a release: counts, the combos that wait, the runs that cannot go on.

Bounded: so many runs of other code are read with the candidate's, if this process has it, for so long;
of the rest it is said that nobody looked. One by one: what a migrator does with a state, and whether a
record is whole, no run tells of another. What the state of a run says stays out of it.
"""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from checkpoints.models import Combo, Run, Successor
from checkpoints.registry import runs_here
from execution import announcing, preflight
from execution.models import Process
from releases.combos.reading import manifest_of
from releases.gates import standing
from releases.impact import judging, waiting
from releases.impact.judging import Counts
from releases.models import Release

MOVES: Final = (standing.WIDEN, standing.PROMOTE)
READ: Final = 500
READ_AT_ONCE: Final = 50
# A page waits no longer for it. Some 5 ms a run.
PATIENCE_SECONDS: Final = 3.0
SHOWN: Final = 20
SCHEMAS: Final = ("state_schema", "state_schemas", "input_schema")


@dataclass(frozen=True)
class Group:
    """What waits under one combo: runs and questions, and what becomes of the code it needs.

    `workers` are those alive that have the code, `seen` when one last was. `is_succeeded`: the
    candidate is declared to take its runs over once no worker has the code.
    """

    combo: Combo
    becomes: str
    runs: int
    questions: int
    workers: int
    seen: datetime | None
    is_succeeded: bool

    @property
    def code(self) -> str:
        """The beginning of its code part, as runs and workers say it."""
        return announcing.code_of(self.combo)[:12]


@dataclass(frozen=True)
class Impact:
    """`groups` are the combos of other code, those with most runs first; `blocked` the newest runs that
    nothing is left to go on with. `read` of the `to_read` runs of other code were read with the
    candidate's, the newest; both 0 where this process does not have it.
    """

    questions: Counts
    runs: Counts
    groups: Sequence[Group] = ()
    blocked: Sequence[Run] = ()
    read: int = 0
    to_read: int = 0

    @property
    def is_cut(self) -> bool:
        """More waits than was counted."""
        return waiting.COUNTED_TO in (self.questions.all, self.runs.all)

    def as_json(self) -> dict[str, Any]:
        """As it is kept beside a move that was proposed."""
        return {
            "questions": self.questions.as_json(judging.QUESTIONS),
            "runs": self.runs.as_json(judging.RUNS),
        }


@dataclass(frozen=True)
class _Codes:
    """What becomes of the code of each combo, and which runs the candidate's code reads."""

    becomes: Mapping[int, str]
    same_schemas: Mapping[int, bool]
    reads: Mapping[UUID, bool]
    is_here: bool

    def of_run(self, run_id: UUID, combo: int) -> bool | None:
        if self.is_here:
            return self.reads.get(run_id)
        return True if self.same_schemas.get(combo) else None


def of_move(release: Release, kind: str) -> Impact:
    """What such a move means for what waits now."""
    by_combo = waiting.runs_by_combo(release)
    asked = waiting.questions(release)
    combos = Combo.objects.in_bulk({*by_combo, *(combo for *_, combo in asked)})
    alive = announcing.workers()
    codes = _codes(release, kind, combos, {code for each in alive for code in _has(each)})
    runs, blocked = _runs(release, by_combo, codes)
    return Impact(
        questions=judging.counted(_questions(release, asked, codes)),
        runs=judging.counted(runs),
        groups=_groups(release, codes, combos, (by_combo, Counter(pk for *_, pk in asked)), alive),
        blocked=blocked,
        read=len(codes.reads),
        to_read=_going(by_combo, codes) if codes.is_here else 0,
    )


def beside(release_id: UUID, kind: str) -> dict[str, Any]:
    """The counts of a moment, kept beside a move as it is proposed; nothing where it touches nothing."""
    if kind not in MOVES:
        return {}
    release = Release.objects.select_related("candidate").get(pk=release_id)
    return of_move(release, kind).as_json()


def _has(process: Process) -> list[str]:
    return list(process.facts.get("codes", []))


def _codes(release: Release, kind: str, combos: Mapping[int, Combo], alive: set[str]) -> _Codes:
    mine = announcing.code_of(release.candidate)
    becomes = {
        pk: judging.code(announcing.code_of(combo), mine, alive=alive, move=kind)
        for pk, combo in combos.items()
    }
    going = [pk for pk, what in becomes.items() if what == judging.GOES]
    is_here = bool(going) and runs_here(release.candidate)
    said = manifest_of(release.candidate)
    same = {pk: _same_schemas(said, manifest_of(combos[pk])) for pk in going}
    reads = _reads(_of(release, going)) if is_here else {}
    return _Codes(becomes, same, reads, is_here)


def _same_schemas(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    return all(new.get(name) == old.get(name) for name in SCHEMAS)


def _of(release: Release, combos: Sequence[int]) -> QuerySet[Run]:
    return waiting.paused(release).filter(combo__in=combos)


def _reads(runs: QuerySet[Run]) -> dict[UUID, bool]:
    """Of the newest: does the code that is here, which is the candidate's, read each?"""
    found: dict[UUID, bool] = {}
    until = time.monotonic() + PATIENCE_SECONDS
    for run in _newest(runs):
        found[run.pk] = not preflight.why_not(run)
        if time.monotonic() >= until:
            break
    return found


def _newest(runs: QuerySet[Run]) -> Iterator[Run]:
    """Whole, with what each was given, only some at once."""
    ids = list(runs.order_by("-pk").values_list("pk", flat=True)[:READ])
    for some in (ids[at : at + READ_AT_ONCE] for at in range(0, len(ids), READ_AT_ONCE)):
        rows = runs.select_related("tenant", "combo").in_bulk(some)
        yield from (rows[pk] for pk in some if pk in rows)


def _going(by_combo: Counter[int], codes: _Codes) -> int:
    return sum(n for combo, n in by_combo.items() if codes.becomes.get(combo) == judging.GOES)


def _runs(
    release: Release, by_combo: Counter[int], codes: _Codes
) -> tuple[Counter[str], list[Run]]:
    found: Counter[str] = Counter()
    for combo, n in by_combo.items():
        becomes = codes.becomes.get(combo, judging.GOES)
        if becomes != judging.GOES or not codes.is_here:
            reads = True if codes.same_schemas.get(combo) else None
            found[judging.run(becomes, reads=reads)] += n
    read = Counter(judging.run(judging.GOES, reads=each) for each in codes.reads.values())
    if codes.is_here:
        found += read
        found[judging.UNTOLD] += max(_going(by_combo, codes) - len(codes.reads), 0)
    blocked = [run for run, reads in codes.reads.items() if not reads]
    rows = Run.objects.filter(tenant=release.tenant_id, pk__in=blocked).defer("input")
    return +found, list(rows.select_related("combo").order_by("-pk")[:SHOWN])


def _questions(
    release: Release, asked: Sequence[tuple[UUID, str, int]], codes: _Codes
) -> Counter[str]:
    # Reading a run with the candidate's code looks for the tool too.
    tools = manifest_of(release.candidate).get("tools") or {}
    return Counter(
        judging.question(
            codes.becomes.get(combo, judging.GOES),
            reads=codes.of_run(run_id, combo),
            has_tool=codes.is_here or tool in tools,
        )
        for run_id, tool, combo in asked
    )


def _groups(
    release: Release,
    codes: _Codes,
    combos: Mapping[int, Combo],
    waiting_runs_and_questions: tuple[Counter[int], Counter[int]],
    alive: Sequence[Process],
) -> list[Group]:
    runs, questions = waiting_runs_and_questions
    other = [pk for pk, what in codes.becomes.items() if what != judging.SAME]
    if not other:
        return []
    declared = Successor.objects.filter(combo=release.candidate_id, of__in=other)
    succeeded = set(declared.values_list("of", flat=True))
    shown = sorted(other, key=lambda pk: -runs[pk])[:SHOWN]
    seen = announcing.all_last_seen([combos[pk] for pk in shown])
    return [
        Group(
            combo=combos[pk],
            becomes=codes.becomes[pk],
            runs=runs[pk],
            questions=questions[pk],
            workers=sum(announcing.has_code(each, combos[pk]) for each in alive),
            seen=seen[pk],
            is_succeeded=pk in succeeded,
        )
        for pk in shown
    ]
