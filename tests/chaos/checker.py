"""Judges after the last heal: every run ended, each effect is there once, and the record is whole."""

import io
import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.core.management import call_command
from django.db import connection

from checkpoints.models import Run
from checkpoints.states import FINAL, OUTCOME_UNKNOWN, SUCCEEDED
from reconciliation.models import Action
from reconciliation.states import HAPPENED, SETTLED
from tests.chaos import registry
from tests.chaos.outside import Outside
from tests.chaos.people import Called
from tests.chaos.work import Work

# Whose unknown outcomes are a person's to decide, by the capability table.
NOBODY_CAN_KNOW = frozenset(
    tool.name for tool in registry.ALL if tool.capabilities == type(tool.capabilities)()
)
POLL_SECONDS = 0.2
FENCES = """
SELECT run_id::text, seq FROM (
    SELECT run_id, seq, fence, lag(fence) OVER (PARTITION BY run_id ORDER BY seq) AS before
      FROM checkpoints_checkpoint) AS chain
 WHERE fence < before
 UNION
SELECT id::text, head FROM checkpoints_run AS run
 WHERE fence < (SELECT max(fence) FROM checkpoints_checkpoint WHERE run_id = run.id)
"""
RECOVERIES = """
SELECT extract(epoch FROM new_boundary_at - noticed_at)::float8
  FROM checkpoints_recovery WHERE new_boundary_at IS NOT NULL
"""


@dataclass
class Findings:
    """What is wrong, in numbers and in sentences."""

    duplicates: int = 0
    lost: int = 0
    stuck_after_heal: int = 0
    held_wrongly: int = 0
    damaged: int = 0
    stale_fences: int = 0
    said: list[str] = field(default_factory=list)

    def numbers(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if name != "said"}


def wait_for_all(patience: float) -> None:
    """Return once every run has ended, or when none of them has moved for this long."""
    stands, since = _live(), time.monotonic()
    while stands and time.monotonic() - since < patience:
        time.sleep(POLL_SECONDS)
        now = _live()
        if now != stands:
            stands, since = now, time.monotonic()


def _live() -> list[tuple[object, ...]]:
    """What has not ended, and how far it is. To be taken up again and again is no progress."""
    live = Run.objects.exclude(status__in=FINAL).order_by("id")
    return list(live.values_list("id", "head", "effect_in_flight"))


def outwait() -> None:
    """Until nothing that was sent can still arrive (rule 23)."""
    time.sleep(max(tool.budget_seconds + tool.margin_seconds for tool in registry.FAKES))


def judge(
    started: dict[str, Work], outside: Outside, called: list[Called], allowed: set[str]
) -> Findings:
    """Compare what was started with what the record and the world have now.

    `allowed` are kinds of cases that people may be called for, beside what nobody can know.
    """
    found = Findings()
    judge_runs(found, started, outside)
    for key, effects in outside.per_run([]).items():
        if key not in started:
            found.duplicates += effects.total()
            found.said.append(f"{key}: {effects.total()} effects of no run that was started")
    for case in called:
        if case.kind not in allowed and not _may_call(case):
            found.held_wrongly += 1
            what = f"{case.kind} of {case.tool or 'no tool'}"
            found.said.append(f"people were called for {what}: {case.said}")
    _judge_record(found)
    return found


def judge_runs(found: Findings, started: dict[str, Work], outside: Outside) -> None:
    """Add what is wrong with these runs, by the world and by the record."""
    there = outside.per_run(list(started))
    runs = {run.business_key: run for run in Run.objects.filter(business_key__in=started)}
    for key, kind in started.items():
        _judge_run(found, key, kind, (runs.get(key), there.get(key, Counter())))


def recoveries() -> list[float]:
    """Seconds from noticing a death to the next boundary, of every recovery."""
    with connection.cursor() as cursor:
        cursor.execute(RECOVERIES)
        return [row[0] for row in cursor.fetchall()]


def _judge_run(found: Findings, key: str, kind: Work, now: tuple[Run | None, Counter[str]]) -> None:
    run, effects = now
    extra = max(sum(count - 1 for count in effects.values()), effects.total() - kind.effects, 0)
    if extra:
        found.duplicates += extra
        found.said.append(f"{key} ({kind.name}): {dict(effects)}")
    if run is None:
        found.lost += 1
        found.said.append(f"{key} ({kind.name}): its start was confirmed, and there is no run")
    elif run.status not in FINAL:
        found.stuck_after_heal += 1
        where = f"{run.status} for {run.reason} at {run.next_node}: {run.sentence}"
        found.said.append(f"{key} ({kind.name}) did not end: {where}")
    elif run.status != SUCCEEDED or effects.total() < kind.effects or _is_denied(run, effects):
        found.lost += 1
        where = f"{run.status}, {run.stop_reason}: {run.sentence}; {dict(effects)} in the world"
        found.said.append(f"{key} ({kind.name}): {where}")


def _is_denied(run: Run, effects: Counter[str]) -> bool:
    """Whether the ledger says of an effect what the world does not."""
    actions = Action.objects.filter(run=run, stands=SETTLED)
    return any(
        effects[bytes(action.key).hex()] != int(action.outcome == HAPPENED) for action in actions
    )


def _may_call(case: Called) -> bool:
    return case.kind == OUTCOME_UNKNOWN and case.tool in NOBODY_CAN_KNOW


def _judge_record(found: Findings) -> None:
    verified = _verified()
    found.damaged = len(verified["damaged"])
    found.said += [f"damaged: {run}: {said}" for run, said in verified["damaged"].items()]
    with connection.cursor() as cursor:
        cursor.execute(FENCES)
        backwards = cursor.fetchall()
    found.stale_fences = len(backwards)
    found.said += [f"the fence went back in {run} at {seq}" for run, seq in backwards]


def _verified() -> dict[str, Any]:
    said = io.StringIO()
    with suppress(SystemExit):  # damage is told by what it says
        call_command("verify", all=True, json=True, stdout=said)
    result: dict[str, Any] = json.loads(said.getvalue())
    return result
