"""The three numbers of one run, each computed from facts that stand beside it in the file. Pure."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Any, Final, TypeVar

from checkpoints import states as record
from reconciliation import states
from reconciliation.evidence.members import Document

Json = Any
Number = TypeVar("Number", int, float)

RECOVERED: Final = "recovered"
BY_PERSON: Final = "by_person"
INTERRUPTED: Final = "interrupted"
UNDER_WAY: Final = ""


def of(document: Document) -> dict[str, Json] | None:
    """Recovered of begun, how long that took, duplicates; None of evidence about one effect only.

    A recovery that was itself interrupted goes on as the next, and is not begun twice. Durations
    are milliseconds from the interruption's notice to the next commit.
    """
    if document["about"]["kind"] != "run":
        return None
    recoveries = document["recoveries"]
    return {
        "recoveries": {
            "begun": sum(each["ended"] != INTERRUPTED for each in recoveries),
            "recovered": _ended(recoveries, RECOVERED),
            "by_person": _ended(recoveries, BY_PERSON),
            "under_way": _ended(recoveries, UNDER_WAY),
        },
        "duration": _duration(sorted(_durations(recoveries))),
        "duplicates": _duplicates(document),
    }


def _ended(recoveries: Sequence[Json], how: str) -> int:
    return sum(each["ended"] == how for each in recoveries)


def _durations(recoveries: Sequence[Json]) -> list[int]:
    return [
        round((_time(each["new_boundary_at"]) - _time(each["noticed_at"])).total_seconds() * 1000)
        for each in recoveries
        if each["ended"] == RECOVERED and each["new_boundary_at"]
    ]


def _duration(sorted_ms: Sequence[int]) -> dict[str, Json]:
    ranks = {"p50": 0.5, "p95": 0.95, "longest": 1.0}
    return {name: nearest_rank(sorted_ms, rank) for name, rank in ranks.items()}


def nearest_rank(ranked: Sequence[Number], share: float) -> Number | None:
    """The smallest of these that at least `share` (above 0, at most 1) of them do not exceed.

    It is one that was measured; None of nothing. `ranked` goes upward.
    """
    return ranked[ceil(len(ranked) * share) - 1] if ranked else None


def _duplicates(document: Document) -> dict[str, int]:
    """`checked` of the `happened` were looked up and found; `arrived` is 0 only of those.

    `stopped`: found in the world after an answer was lost, and therefore not sent again.
    """
    happened = [each for each in document["actions"] if each["outcome"] == states.HAPPENED]
    return {
        "happened": len(happened),
        "checked": sum(_looked_up(each) for each in happened),
        "stopped": sum(_was_found(each) for each in happened),
        "arrived": sum(case["kind"] == record.DUPLICATE_EFFECT for case in document["cases"]),
    }


def _looked_up(action: Json) -> bool:
    return any(
        look_up["answer"] == "found"
        for attempt in action["attempts"]
        for look_up in attempt["look_ups"]
    )


def _was_found(action: Json) -> bool:
    sources = [r["source"] for attempt in action["attempts"] for r in attempt["receipts"]]
    return bool(sources) and sources[0] in ("look_up", "void")


def _time(instant: str) -> datetime:
    return datetime.fromisoformat(instant)
