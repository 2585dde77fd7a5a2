"""The story of a run, oldest first: nodes grouped, effects, questions, waits, recoveries.

Bounded: so many checkpoints ending at one, and what happened in the time they span.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from checkpoints.models import Checkpoint, Event, Recovery, Run
from execution.pages import takeovers
from execution.pages.telling import Entry, Told, of_attempt, of_event, of_look_ups, waited_for
from reconciliation.models import Action, Attempt, LookUp
from tenants.models import Tenant

MOST_STEPS: Final = 1_000
MOST: Final = 300
LONG_SECONDS: Final = 30

# Told by its recovery, with more detail than the event has.
TOLD_OTHERWISE: Final = "interrupted"


@dataclass(frozen=True)
class Item:
    """One line: `kind` is "event", "gap" or "day"; the rest as the component of that kind says."""

    kind: str
    at: datetime
    event: Entry | None = None
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Timeline:
    """A stretch of a run's story. `earlier` is the checkpoint below which it goes on, or None."""

    items: Sequence[Item]
    earlier: int | None = None
    cut: bool = False


@dataclass(frozen=True)
class Span:
    """A stretch of time; None is open."""

    begins: datetime | None = None
    ends: datetime | None = None

    def of(self, rows: QuerySet[Any], column: str) -> QuerySet[Any]:
        """Those rows whose time lies in the stretch."""
        if self.begins is not None:
            rows = rows.filter(**{f"{column}__gte": self.begins})
        if self.ends is not None:
            rows = rows.filter(**{f"{column}__lt": self.ends})
        return rows


@dataclass(frozen=True)
class Ledger:
    """What the world was asked for this run: its newest actions, and the stretch's calls."""

    actions: Sequence[Action] = ()
    attempts: Sequence[Attempt] = ()
    look_ups: Sequence[LookUp] = ()
    recoveries: Sequence[Recovery] = ()


def timeline(run: Run, *, before: int | None = None) -> Timeline:
    """The newest stretch of a run's story, or the one below the checkpoint `before`."""
    steps, earlier, span = _steps(run, before)
    ledger = _ledger(run, span)
    events = list(
        span.of(Event.objects.filter(run_id=run.id), "at")
        .exclude(what=TOLD_OTHERWISE)
        .order_by("-id")[: MOST + 1]
    )[::-1]
    entries = [
        *_told_events(run.tenant, events[-MOST:], ledger),
        *(of_attempt(run.tenant, attempt) for attempt in ledger.attempts),
        *of_look_ups(ledger.look_ups),
        *_told_recoveries(ledger),
    ]
    items = _laid_out(_grouped(run, [_about(step, ledger) for step in steps], entries))
    return Timeline(items, earlier, cut=len(events) > MOST)


def _steps(run: Run, before: int | None) -> tuple[list[Told], int | None, Span]:
    rows = Checkpoint.objects.filter(run_id=run.id)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    newest_first = list(rows.order_by("-seq").values_list("seq", "node", "at")[: MOST_STEPS + 1])
    shown = newest_first[:MOST_STEPS][::-1]
    more = len(newest_first) > MOST_STEPS
    ends = None
    if before is not None:
        ends = (
            Checkpoint.objects.filter(run_id=run.id, seq=before).values_list("at", flat=True)
        ).first()
    span = Span(shown[0][2] if more else None, ends)
    return [Told(*row) for row in shown], shown[0][0] if more else None, span


def _ledger(run: Run, span: Span) -> Ledger:
    attempts = Attempt.objects.filter(action__run=run).select_related("action")
    light = attempts.defer("action__parameters")
    look_ups = LookUp.objects.filter(attempt__action__run=run)
    recoveries = span.of(Recovery.objects.filter(run=run), "noticed_at").order_by("-id")[:MOST]
    found = list(span.of(light, "dispatched_at").order_by("-dispatched_at")[:MOST])[::-1]
    actions = Action.objects.filter(run=run).defer("parameters", "magnitude")
    return Ledger(
        list(actions.order_by("-proposed_seq")[:MOST]),
        found,
        list(span.of(look_ups, "at").order_by("-id")[:MOST])[::-1],
        list(recoveries)[::-1],
    )


def _told_events(tenant: Tenant, events: Sequence[Event], ledger: Ledger) -> list[Entry]:
    describes = {str(action.id): action.describe for action in ledger.actions}
    return [of_event(tenant, event, describes) for event in events]


def _told_recoveries(ledger: Ledger) -> list[Entry]:
    told = []
    for recovery in ledger.recoveries:
        asked = takeovers.asked_during(recovery, ledger.attempts, ledger.look_ups)
        told.append(
            Entry(
                at=recovery.noticed_at,
                title=takeovers.sentence(recovery, asked),
                tone="itself",
                shape="loop",
                took=takeovers.seconds(recovery),
            )
        )
    return told


def _about(step: Told, ledger: Ledger) -> Told:
    """A checkpoint of an action node says what it did: proposed, or took in what became of it."""
    for action in ledger.actions:
        if step.seq == action.proposed_seq:
            about = _("proposed: %(what)s")
        elif step.seq == action.absorbed_seq:
            about = _("took in what became of: %(what)s")
        else:
            continue
        return replace(step, about=about % {"what": action.describe})
    return step


def _grouped(run: Run, steps: Sequence[Told], entries: Iterable[Entry]) -> list[Entry]:
    """Everything in order of time; neighbouring checkpoints of one node become one line."""
    marked: list[Told | Entry] = sorted([*steps, *entries], key=lambda each: each.at)
    lines: list[Entry] = []
    last: datetime = run.created_at
    for _key, group in groupby(marked, key=_group_of):
        members = list(group)
        first = members[0]
        if isinstance(first, Entry):
            lines.append(first)
        else:
            lines.append(first.line(run, members, last))
        last = members[-1].at
    return lines


def _group_of(each: Told | Entry) -> object:
    return each.node if isinstance(each, Told) and not each.about else id(each)


def _laid_out(entries: Sequence[Entry]) -> list[Item]:
    """A heading for each day, and a folded line for each long stretch without anything."""
    items: list[Item] = []
    last: Entry | None = None
    for entry in entries:
        begins = entry.begins or entry.at
        if last is None or last.at.date() != begins.date():
            items.append(Item("day", begins))
        if last is not None and (gap := (begins - last.at).total_seconds()) >= LONG_SECONDS:
            items.append(Item("gap", last.at, text=waited_for(last), seconds=gap))
        items.append(Item("event", entry.at, event=entry))
        last = entry
    return items
