"""What must be true after every rule: asked of the record, and of the fake world."""

from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import F

from approvals import states as permission
from approvals.models import Approval, ApprovalRequest
from checkpoints import reading, states
from checkpoints.models import Case, Checkpoint, Run
from reconciliation import states as world
from reconciliation.models import Action, Attempt, Receipt
from tests.acceptance import counting
from tests.engine.faketools import effects

OF_A_RUN = (Action, ApprovalRequest, Case)


@dataclass
class Seen:
    """What was seen of each run so far: its fence, its head, and its end."""

    fences: dict[UUID, int] = field(default_factory=dict)
    heads: dict[UUID, int] = field(default_factory=dict)
    ends: dict[UUID, tuple[str, str]] = field(default_factory=dict)


def check(seen: Seen) -> None:
    """All of it, of every tenant."""
    for run in Run.objects.select_related("tenant", "combo"):
        _only_forward(run, seen)
        _leased_once(run)
        _is_whole(run)
        _is_with_a_person(run)
        for action in Action.objects.filter(run=run):
            _is_known_asked_or_with_a_person(run, action)
    for model in OF_A_RUN:
        assert not model.objects.exclude(tenant=F("run__tenant")).exists(), (
            "a row at another tenant"
        )
    assert counting.unexplained_effects() == []
    _the_world()


def _only_forward(run: Run, seen: Seen) -> None:
    assert run.fence >= seen.fences.get(run.pk, 0), "a fence went back"
    assert run.head >= seen.heads.get(run.pk, 0), "a head went back"
    if run.pk in seen.ends:
        assert (run.status, run.stop_reason) == seen.ends[run.pk], "final is not final"
    if run.status in states.FINAL:
        seen.ends[run.pk] = (run.status, run.stop_reason)
    seen.fences[run.pk], seen.heads[run.pk] = run.fence, run.head


def _leased_once(run: Run) -> None:
    is_leased = run.holder is not None and run.lease_until is not None
    assert is_leased == (run.status == states.RUNNING)
    others = Run.objects.filter(holder=run.holder, status=states.RUNNING).exclude(pk=run.pk)
    assert not (is_leased and others.exists()), "one worker, two runs"


def _is_whole(run: Run) -> None:
    assert reading.verify_run(run) == []
    rows = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    fences = list(rows.values_list("fence", flat=True))
    assert len(fences) == run.head
    assert fences == sorted(fences), "a stale fence wrote"


def _is_with_a_person(run: Run) -> None:
    has_case = Case.objects.filter(run=run, decided_at=None, closed_at=None).exists()
    assert run.status != states.HELD or has_case


def _is_known_asked_or_with_a_person(run: Run, action: Action) -> None:
    """Every intent has a receipt, is being found out, or lies before a person."""
    if action.stands == world.DISPATCHED:
        assert _is_at_it(run, action), f"an intent that nobody finds out: {run.status} {run.reason}"
    if action.outcome == world.HAPPENED:
        assert Receipt.objects.filter(action=action).exists()
    assert Attempt.objects.filter(action=action, outcome="").count() <= 1


def _is_at_it(run: Run, action: Action) -> bool:
    """A worker has the run or will have it, or a person has a case or a question about the action."""
    if run.status == states.RUNNING:
        return run.holder is not None
    if run.status == states.HELD:
        return Case.objects.filter(run=run, action_id=action.pk, closed_at=None).exists()
    if run.status == states.WAITING and run.reason == states.FOR_APPROVAL:
        return ApprovalRequest.objects.filter(
            action_id=action.pk, state__in=permission.LIVE
        ).exists()
    if run.status == states.WAITING and run.reason == states.FOR_STOP:
        return not Attempt.objects.filter(action=action, outcome="").exists()
    return run.status not in states.FINAL and run.due_at is not None


def _the_world() -> None:
    by_key = Counter(str(effect["key"]) for effect in effects())
    for key, times in by_key.items():
        assert times == 1, "an effect happened twice"
        used = Approval.objects.filter(
            state="used",
            request__action_id__in=Action.objects.filter(key=bytes.fromhex(key)).values("id"),
        )
        assert used.exists(), "an effect without a used approval"
