"""The figures of a matrix run: one flat JSON object."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from reconciliation.evidence.numbers import nearest_rank
from tests.crash.judge import Judged
from tests.crash.trials import Result

INTERRUPTED, RECOVERED = "interrupted", "recovered"


def figures(judged: Sequence[tuple[Result, Judged]], takeovers: Sequence[float]) -> dict[str, Any]:
    """Counts over all trials, and the recovery numbers from the engine's own table.

    A recovery that the next kill interrupted is no recovery of its own: another stands for it.
    """
    results = [result for result, _ in judged]
    begun = [
        recovery
        for result in results
        if result.end is not None
        for recovery in result.end.recoveries
        if recovery[2] != INTERRUPTED
    ]
    seconds = [
        (boundary - noticed).total_seconds()
        for noticed, boundary, ended in begun
        if boundary is not None and ended == RECOVERED
    ]
    return {
        "points": len({(it.trial.scenario, kill) for it in results for kill in it.trial.kills}),
        "trials": len(results),
        "kills": sum(result.fired for result in results),
        "duplicates": sum(each.duplicates for _, each in judged),
        "lost": sum(each.lost for _, each in judged),
        "not_unique": sum(each.not_unique for _, each in judged),
        "invalid": sum(each.invalid for _, each in judged),
        "held_for_person": sum(each.held for _, each in judged),
        "unapproved_effects": sum(map(_unapproved, results)),
        "unexplained_states": sum(len(it.end.unexplained) for it in results if it.end),
        "recovery_success_rate": round(len(seconds) / len(begun), 4) if begun else None,
        "recovery_seconds": percentiles(seconds),
        "takeover_seconds": percentiles(takeovers),
        "boundaries": sorted({kill.boundary for it in results for kill in it.trial.kills}),
    }


def _unapproved(result: Result) -> int:
    """Intents that no approval allowed, and effects in the world under a key that was never sent."""
    if result.end is None:
        return 0
    sent = {done.key for done in result.end.actions}
    return len(result.end.unapproved) + sum(effect.key not in sent for effect in result.effects)


def percentiles(seconds: Iterable[float]) -> dict[str, float | None]:
    """Nearest-rank p50 and p95, in seconds; None when nothing was measured."""
    ranked = sorted(seconds)

    def at(share: float) -> float | None:
        found = nearest_rank(ranked, share)
        return None if found is None else round(found, 3)

    return {"p50": at(0.5), "p95": at(0.95)}


def write(found: dict[str, Any], file: Path) -> str:
    """The JSON line, written to the file too."""
    line = json.dumps(found)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(line + "\n")
    return line
