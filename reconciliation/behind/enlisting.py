"""A line that the record lacks: listed, its run held, its approval withdrawn, its attempt made unknown.

The attempt gets the id that the journal has for it, so that answers that come later find it. Whoever
allowed it may be lost too. From then on it is found out as any other whose outcome nobody knows.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from approvals import clock, requests
from approvals.models import Approval
from canonical.redaction import Fact, ours
from checkpoints import holding, states
from checkpoints.cases import Trouble
from checkpoints.models import Run
from checkpoints.registry import agents
from reconciliation import states as world
from reconciliation.behind.models import ACTION, ATTEMPT, OPEN, RUN, Divergence, MissingLine
from reconciliation.journal import sealing
from reconciliation.journal.port import Line
from reconciliation.models import Action, Attempt
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.keys.errors import KeyRingError
from tenants.models import Tenant

ERROR: Final = "record behind"
NOBODY: Final = UUID(int=0)
A_DAY: Final = 24 * 3600


def enlist(divergence: Divergence, line: Line, *, by: Actor) -> MissingLine:
    """List a line and keep its run from going anywhere, in one transaction. Idempotent."""
    fields = dict(line.fields)
    with transaction.atomic():
        run = _run(fields)
        made, is_new = MissingLine.objects.get_or_create(
            attempt_id=UUID(str(fields["attempt"])),
            defaults={
                "divergence": divergence,
                "tenant_id": run.tenant_id if run else _tenant(fields),
                "run_id": UUID(str(fields["run"])),
                "action_id": UUID(str(fields["action"])),
                "tool": str(fields["tool"]),
                "target": str(fields["target"]),
                "sent_at": _moment(fields),
                "line": fields | _business(fields),
                "lacks": _lacks(run, fields),
            },
        )
        if is_new and run is not None:
            hold(made, run, by=by)
    return made


def hold(line: MissingLine, run: Run, *, by: Actor) -> None:
    """Inside a transaction that holds the run: nothing of it goes on before the line is settled."""
    action = Action.objects.select_for_update().filter(pk=line.action_id, run=run).first()
    if action is not None:
        reason = ours("The record is older than the world: it lacks an attempt of this effect.")
        requests.withdraw(action.pk, actor=by, reason=reason)
        _add_attempt(line, run, action)
        run.refresh_from_db()
    holding.hold_now(run, trouble(line, action), actor=by)


def trouble(line: MissingLine, action: Action | None) -> Trouble:
    """The case of a run whose record lacks this line."""
    what = action.describe if action is not None else line.tool
    said = hiding.text(
        f"The journal says that “{what}” was about to be sent, and the record knows nothing of it."
    )
    facts: dict[str, Fact] = {
        **hiding.texts(error=ERROR, tool=line.tool, target=line.target),
        "attempt": line.attempt_id,
        "key": hiding.text(str(line.line["key"])),
        "journal_at": hiding.text(f"{line.sent_at:%Y-%m-%d %H:%M:%S} UTC"),
    }
    return Trouble(states.RECORD_BEHIND, said, facts, None if action is None else action.pk)


def again(line: MissingLine, *, by: Actor) -> bool:
    """Try once more what could not be done: an attempt before it was out. False: it still is."""
    with transaction.atomic():
        run = Run.objects.select_for_update().filter(pk=line.run_id).first()
        locked = MissingLine.objects.select_for_update().get(pk=line.pk)
        if run is None or locked.became != OPEN or run.status in states.FINAL:
            return False
        hold(locked, run, by=by)
        return Attempt.objects.filter(pk=line.attempt_id).exists()


def _add_attempt(line: MissingLine, run: Run, action: Action) -> None:
    """Add it as one of which nobody knows, unless the record knows better or one before it is out."""
    earlier = Attempt.objects.filter(action=action)
    is_open = earlier.exclude(outcome__in=world.PROVEN_WITHOUT_EFFECT).exists()
    known = earlier.filter(pk=line.attempt_id).exists()
    if known or is_open or action.stands == world.SETTLED or action.evidence_at is not None:
        return
    budget, margin = _limits(action.tool)
    now = clock.now()
    Attempt.objects.create(
        id=line.attempt_id,
        action=action,
        mode=action.mode,
        number=earlier.count() + 1,
        approval=Approval.objects.filter(
            request__action_id=action.pk, request__action_hash=line.line.get("hash", "")
        ).first(),
        action_hash=str(line.line.get("hash", "")),
        fence=run.fence,
        holder=NOBODY,
        dispatched_at=min(line.sent_at, now),
        # The clock of the machine that sent it is gone: from now on, a late arrival has its time.
        deadline_at=now + timedelta(seconds=budget),
        margin_seconds=margin,
        from_journal=True,
    )
    Action.objects.filter(pk=action.pk).update(stands=world.DISPATCHED, outcome=world.UNKNOWN)
    Run.objects.filter(pk=run.pk).update(effect_in_flight=action.pk)


def _limits(tool: str) -> tuple[int, int]:
    """How long a call and its late arrival may take; a day for a tool that is not here any more."""
    if tool not in agents().TOOLS:
        return A_DAY, 0
    its = agents().TOOLS[tool]
    return its.budget_seconds, its.margin_seconds


def _run(fields: dict[str, Any]) -> Run | None:
    """The run of a line, locked, if the record has it and it is of the tenant that the line names."""
    run = Run.objects.select_for_update().filter(pk=fields["run"]).first()
    return run if run is not None and run.tenant_id == fields["tenant"] else None


def _tenant(fields: dict[str, Any]) -> int | None:
    """The tenant of a line whose run is lost; numbers may be given anew, so its name counts too."""
    named = Tenant.objects.filter(pk=fields["tenant"])
    if "slug" in fields:
        named = named.filter(slug=fields["slug"])
    return named.values_list("pk", flat=True).first()


def _business(fields: dict[str, Any]) -> dict[str, str]:
    """Whose run it was, from what is sealed: whoever starts it again would have it done again."""
    try:
        kept = sealing.opened(str(fields.get("sealed", "")), UUID(str(fields["attempt"])))
    except (KeyRingError, ValueError):
        return {}
    return {name: kept[name] for name in ("task_type", "business_key") if name in kept}


def _lacks(run: Run | None, fields: dict[str, Any]) -> str:
    if run is None:
        return RUN
    return ATTEMPT if Action.objects.filter(pk=fields["action"], run=run).exists() else ACTION


def _moment(fields: dict[str, Any]) -> datetime:
    return datetime.fromtimestamp(float(fields["at"]), UTC)
