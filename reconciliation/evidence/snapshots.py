"""What the record says of an effect or a run, read at one moment: all of evidence but its trail."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from checkpoints.models import Case, Checkpoint, Event, Fork, Recovery, Run
from reconciliation.evidence import acts, rulings
from reconciliation.evidence import written as by_hand
from reconciliation.evidence.bytestore import Bytes
from reconciliation.evidence.members import MOST_EVENTS
from reconciliation.models import Action
from tenants.models import Tenant
from tenants.trail.rows import instant

Json = Any


@dataclass(frozen=True)
class About:
    """What the evidence is about: one effect, or a whole run. Always of one tenant."""

    kind: str
    id: UUID
    tenant: Tenant

    @classmethod
    def action(cls, action: Action) -> "About":
        return cls("action", action.pk, action.tenant)

    @classmethod
    def run(cls, run: Run) -> "About":
        return cls("run", run.pk, run.tenant)

    @property
    def subject(self) -> str:
        """As the audit trail names it."""
        return f"{self.kind} {self.id}"


def read(about: About, kept: Bytes) -> dict[str, Json]:
    """Run, checkpoints, actions, cases, recoveries and events as they stood at one moment."""
    with _one_moment():
        action = _action(about)
        run_id = action.run_id if action else about.id
        run = Run.objects.select_related("combo").get(pk=run_id, tenant=about.tenant)
        actions = [action] if action else Action.objects.filter(run=run).order_by("proposed_seq")
        return {
            "run": _run(run, kept),
            "checkpoints": [_checkpoint(each) for each in _checkpoints(run, action)],
            "actions": [acts.as_json(each, kept) for each in actions],
            "cases": _cases(run, action, kept),
            "recoveries": [] if action else recoveries(run),
            "events": [] if action else _events(run),
        }


def recoveries(run: Run) -> list[dict[str, Json]]:
    """Every interrupted lease of a run, in order."""
    return [
        {
            "why": each.why,
            "fence": each.interrupted_fence,
            "noticed_at": instant(each.noticed_at),
            "taken_over_at": _when(each.taken_over_at),
            "new_boundary_at": _when(each.new_boundary_at),
            "ended": each.ended,
            "ended_at": _when(each.ended_at),
        }
        for each in Recovery.objects.filter(run=run).order_by("interrupted_fence")
    ]


@contextmanager
def _one_moment() -> Iterator[None]:
    """A later statement sees what the first one saw, while the run goes on."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _action(about: About) -> Action | None:
    if about.kind != "action":
        return None
    return Action.objects.get(pk=about.id, tenant=about.tenant)


def _run(run: Run, kept: Bytes) -> dict[str, Json]:
    return {
        "id": str(run.pk),
        "task_type": run.task_type,
        "mode": run.mode,
        "business_key": run.business_key,
        "caller": run.caller,
        "on_behalf_of": run.on_behalf_of,
        "channel": run.channel,
        "started_by": run.started_by_id,
        "created_at": instant(run.created_at),
        "input": kept.of(run.input, bytes(run.input_digest).hex()),
        "combo": kept.of(run.combo.manifest, bytes(run.combo.digest).hex(), secret=False),
        "head": run.head,
        "status": run.status,
        "reason": run.reason,
        "sentence": run.sentence,
        "stop_reason": run.stop_reason,
        "finished_at": instant(run.finished_at) if run.finished_at else None,
        **_forked(run),
    }


def _forked(run: Run) -> dict[str, Json]:
    """Where a fork began; nothing for a run that is none."""
    if run.forked_from_id is None:
        return {}
    fork = Fork.objects.get(run=run)
    checkpoint = bytes(fork.checkpoint).hex()
    return {"forked": {"run": str(fork.source_id), "seq": fork.seq, "checkpoint": checkpoint}}


def _checkpoints(run: Run, action: Action | None) -> list[Checkpoint]:
    """Of a run all; of an effect those from the one that proposed it to the one that absorbed it."""
    found = Checkpoint.objects.filter(run_id=run.pk, seq__lte=run.head).order_by("seq")
    found = found.defer("state", "appended")
    if action is None:
        return list(found)
    last = action.absorbed_seq or action.proposed_seq
    return list(found.filter(seq__gte=action.proposed_seq, seq__lte=last))


def _checkpoint(checkpoint: Checkpoint) -> dict[str, Json]:
    return {
        "seq": checkpoint.seq,
        "header": bytes(checkpoint.header).decode(),
        "digest": bytes(checkpoint.digest).hex(),
    }


def _cases(run: Run, action: Action | None, kept: Bytes) -> list[dict[str, Json]]:
    cases = Case.objects.filter(run=run).order_by("id")
    return [_case(each, kept) for each in (cases.filter(action_id=action.pk) if action else cases)]


def _case(case: Case, kept: Bytes) -> dict[str, Json]:
    return {
        "id": str(case.pk),
        "kind": case.kind,
        "sentence": case.sentence,
        "action": str(case.action_id) if case.action_id else None,
        "opened_at": instant(case.opened_at),
        "closed_at": instant(case.closed_at) if case.closed_at else None,
        "verdicts": rulings.of_case(case),
        **by_hand.of_case(case, kept),
    }


def _when(at: datetime | None) -> str | None:
    return instant(at) if at else None


def _events(run: Run) -> list[dict[str, Json]]:
    found = Event.objects.filter(run_id=run.pk).order_by("id")[:MOST_EVENTS]
    return [
        {"at": instant(each.at), "what": each.what, "actor": each.actor, "detail": each.detail}
        for each in found
    ]
