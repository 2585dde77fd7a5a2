"""What the record says of an effect or a run, read at one moment: all of evidence but its trail."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils.module_loading import import_string

from checkpoints import pins
from checkpoints.models import Case, Checkpoint, Event, Fork, Recovery, Repin, Run
from reconciliation.evidence import acts, desk, rulings
from reconciliation.evidence import written as by_hand
from reconciliation.evidence.bytestore import Bytes
from reconciliation.evidence.members import MOST_EVENTS, MOST_FORKS
from reconciliation.models import Action
from tenants.models import Tenant
from tenants.trail.rows import instant, instant_or_none

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
    """Run, checkpoints, actions, cases, recoveries, forks, plans and events at one moment."""
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
            "forks": [] if action else _forks(run),
            "events": [] if action else _events(run),
            **({name: [] for name in settings.EVIDENCE_PARTS} if action else _parts(run)),
        }


def _parts(run: Run) -> dict[str, Json]:
    """What floors above this one know of a run, by the member it becomes."""
    return {name: import_string(part)(run) for name, part in settings.EVIDENCE_PARTS.items()}


def recoveries(run: Run) -> list[dict[str, Json]]:
    """Every interrupted lease of a run, in order."""
    return [
        {
            "why": each.why,
            "fence": each.interrupted_fence,
            "noticed_at": instant(each.noticed_at),
            "taken_over_at": instant_or_none(each.taken_over_at),
            "new_boundary_at": instant_or_none(each.new_boundary_at),
            "ended": each.ended,
            "ended_at": instant_or_none(each.ended_at),
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
        "combo": kept.of(run.combo.manifest, run.combo.hex, secret=False),
        "head": run.head,
        "status": run.status,
        "reason": run.reason,
        "sentence": run.sentence,
        "stop_reason": run.stop_reason,
        "finished_at": instant(run.finished_at) if run.finished_at else None,
        **_forked(run),
        **_moved(run, kept),
    }


def _forked(run: Run) -> dict[str, Json]:
    """Where a fork began; nothing for a run that is none."""
    if run.forked_from_id is None:
        return {}
    fork = Fork.objects.get(run=run)
    return {"forked": {"run": str(fork.source_id), **_fork(fork)}}


def _moved(run: Run, kept: Bytes) -> dict[str, Json]:
    """From which combo to which it moved, and when; nothing for a run that never did."""
    moves = pins.moves(run) if run.first_combo_id is not None else []
    return {"moved": [_move(each, kept) for each in moves]} if moves else {}


def _move(repin: Repin, kept: Bytes) -> dict[str, Json]:
    return {
        "seq": repin.seq,
        "from": kept.of(repin.from_combo.manifest, repin.from_combo.hex, secret=False),
        "to": kept.of(repin.to_combo.manifest, repin.to_combo.hex, secret=False),
        "cause": repin.cause,
        "why": repin.why,
        "by": repin.ordered_by,
        "at": instant_or_none(repin.ended_at),
    }


def _forks(run: Run) -> list[dict[str, Json]]:
    """Runs that began from one of its checkpoints."""
    found = Fork.objects.filter(source=run, tenant=run.tenant_id).order_by("at")[:MOST_FORKS]
    return [{"run": str(each.run_id), **_fork(each)} for each in found]


def _fork(fork: Fork) -> dict[str, Json]:
    return {
        "seq": fork.seq,
        "checkpoint": bytes(fork.checkpoint).hex(),
        "reason": fork.reason,
        "by": fork.made_by,
        "at": instant(fork.at),
    }


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
        "facts": case.facts,
        "opened_at": instant(case.opened_at),
        "decided_at": instant_or_none(case.decided_at),
        "reopened_at": instant_or_none(case.reopened_at),
        "closed_at": instant_or_none(case.closed_at),
        "closed_because": case.closed_because,
        "verdicts": rulings.of_case(case),
        "desk": desk.of_case(case),
        **by_hand.of_case(case, kept),
    }


def _events(run: Run) -> list[dict[str, Json]]:
    found = Event.objects.filter(run_id=run.pk).order_by("id")[:MOST_EVENTS]
    return [
        {"at": instant(each.at), "what": each.what, "actor": each.actor, "detail": each.detail}
        for each in found
    ]
