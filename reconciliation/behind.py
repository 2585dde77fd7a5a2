"""Finds what the record has lost: lines of the journal outside PostgreSQL that the ledger lacks.

A restored or failed-over database can be older than the world (rule 13). Before anything goes on,
each run whose ledger lacks a line is held: what was approved for that effect counts no more, and a
person finds out what became of it.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from approvals import requests
from canonical.redaction import Fact, ours
from checkpoints import holding, states
from checkpoints.cases import Trouble
from checkpoints.models import Case, Run
from reconciliation import journal
from reconciliation.models import Action, Attempt
from tenants.actors import Actor
from tenants.keys import hiding

log = logging.getLogger(__name__)

ENGINE: Final = Actor.machine("worker")
ERROR: Final = "record behind"
AT_ONCE: Final = 500

Line = Mapping[str, Any]


def hold_all() -> int:
    """Compare the journal with the ledger; returns how many runs were put before a person.

    Idempotent: a lost line opens one case. A line whose run the record has lost too can only be
    logged: there is nothing to hold.
    """
    held, lost = 0, 0
    for lines in _chunks(journal.lines()):
        lacking = _lacking(lines)
        known = set(
            Run.objects.filter(pk__in={str(line["run"]) for line in lacking}).values_list(
                "pk", flat=True
            )
        )
        mine = [line for line in lacking if UUID(str(line["run"])) in known]
        lost += len(lacking) - len(mine)
        held += sum(_hold(line) for line in mine)
    if held or lost:
        log.warning("the record is behind the journal: %s runs held, %s lines lost", held, lost)
    return held


def _chunks(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while chunk := list(islice(lines, AT_ONCE)):
        yield chunk


def _lacking(lines: Iterable[Line]) -> list[Line]:
    by_attempt = {str(line.get("attempt")): line for line in lines}
    known = Attempt.objects.filter(pk__in=by_attempt).values_list("pk", flat=True)
    for pk in known:
        by_attempt.pop(str(pk), None)
    return list(by_attempt.values())


def _hold(line: Line) -> bool:
    attempt = UUID(str(line["attempt"]))
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=line["run"])
        told = Case.objects.filter(run=run, kind=states.RECORD_BEHIND, facts__attempt=str(attempt))
        if told.exists() or Attempt.objects.filter(pk=attempt).exists():
            return False
        action = Action.objects.filter(pk=line["action"], run=run).first()
        if action is not None:
            reason = ours("The record is older than the world: it lacks an attempt of this effect.")
            requests.withdraw(action.pk, actor=ENGINE, reason=reason)
            run.refresh_from_db()
        holding.hold_now(run, _trouble(line, action), actor=ENGINE)
    return True


def _trouble(line: Line, action: Action | None) -> Trouble:
    what = action.describe if action is not None else str(line["tool"])
    said = hiding.text(
        f"The journal says that “{what}” was about to be sent, and the record knows nothing of it."
    )
    facts: dict[str, Fact] = {
        **hiding.texts(error=ERROR, tool=str(line["tool"]), target=str(line["target"])),
        "attempt": UUID(str(line["attempt"])),
        "key": hiding.text(str(line["key"])),
        "journal_at": hiding.text(_moment(line)),
    }
    return Trouble(states.RECORD_BEHIND, said, facts, None if action is None else action.pk)


def _moment(line: Line) -> str:
    return f"{datetime.fromtimestamp(float(line['at']), UTC):%Y-%m-%d %H:%M:%S} UTC"
