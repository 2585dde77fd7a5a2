"""Asking: the only writer of approval requests, from the question to its end without an answer."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from approvals import clock, hashing, judging, locks, states
from approvals.drift import comparing
from approvals.errors import DamagedRequestError, QuestionRefusedError
from approvals.hashing import Bound, Difference
from approvals.looking import turns
from approvals.models import Approval, ApprovalRequest
from approvals.models.freshness import FIRST_LOOK, Freshness
from approvals.people import notices
from approvals.rules import Requirement
from canonical.redaction import Fact, Said, ours
from checkpoints import events, wakeups
from checkpoints.boundaries import boundary
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.models import Run
from checkpoints.states import LIVE_MODE
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding

Json = Any

SWEEPER: Final = "sweeper"

# Each verb as the audit trail names it, and as the run's history tells it.
WORDS: Final = {
    "ask": "asked",
    "withdraw": "withdrawn",
    "expire": "expired",
    states.APPROVE: "approved",
    states.REJECT: "rejected",
    states.SEND_BACK: "sent_back",
    "find_moved": "found_moved",
    "find_as_before": "found_as_before",
    "dry_run_again": "asked_anew",
    "take_back": "taken_back",
    "withdraw_approval": "approval_withdrawn",
    "hand_over": "handed_over",
    "take_hand_over_back": "hand_over_taken_back",
    "second_look": "looked_at_twice",
    "see_remarks": "remarks_seen",
}


@dataclass(frozen=True)
class Question:
    """Everything a person is shown, and `bound`: what their answer is bound to, not yet sealed.

    `parameters` are the exact bytes to be sent; `diff` of `media` is what the dry run showed.
    """

    bound: Bound
    parameters: bytes
    diff: bytes
    media: str
    summary: tuple[str, ...]
    describe: str
    target: str
    magnitude: Mapping[str, Json]
    requirement: Requirement


def ask(question: Question, *, actor: Actor, lease: Lease | None) -> ApprovalRequest:
    """Put the question; asked again with the same content, the same live request comes back.

    Other content withdraws the live request (and its unused approval) and links the new one to it.
    `lease` None: the caller has proved its right to the run in this same transaction.
    What a rule allows comes back approved, with an approval that names the rule.
    Raises `LeaseLostError`, `QuestionRefusedError` when bytes and digests differ, and
    `AlreadyDecidedError` when people rejected this action or sent it back: that is the answer.
    """
    boundary("ask:before")
    with transaction.atomic():
        run = _asking_run(question.bound, lease)
        latest = locks.latest(UUID(question.bound.action_id))
        if latest is not None and latest.state in states.ANSWERED_NO:
            raise judging.already(latest)
        moved = _moved_since(latest, question)
        if latest is not None and latest.state in states.LIVE:
            if not moved and latest.expires_at > clock.now():
                return latest
            _retire(latest, actor, moved)
        question = _by_people_once_used(question, latest)
        try:
            request = _create(question, run, latest)
        except (ValueError, DamagedRequestError) as error:
            raise QuestionRefusedError(str(error)) from error
        told = {"moved": comparing.fields(moved)} if moved else {}
        record(request, actor, "ask", **hiding.texts(hash=request.action_hash, **told))
        if question.requirement.automatic:
            _pass(request, question.requirement.automatic, woken=lease is None)
        else:
            notices.asked(request)
            turns.put_in_line(request, question.requirement)
        transaction.on_commit(partial(boundary, "ask:after"))
    return request


def withdraw(
    action_id: UUID, *, actor: Actor, reason: Said, moved: Sequence[Difference] = ()
) -> ApprovalRequest | None:
    """Take the action's live question or unused approval away; None when there is none.

    For the engine: cancel, stop, roll back, and refusals of the last check, with what `moved`.
    Whoever decides between asking and this loses.
    """
    run_id = (
        ApprovalRequest.objects.filter(action_id=action_id).values_list("run_id", flat=True).first()
    )
    if run_id is None:
        return None
    with transaction.atomic():
        locks.run(run_id)
        request = locks.latest(action_id)
        if request is None or request.state not in states.LIVE:
            return None
        told = {"moved": comparing.fields(list(moved))} if moved else {}
        said = hiding.text(hiding.said(reason))
        close(request, states.WITHDRAWN, by=actor.name, because=said)
        record(request, actor, "withdraw", reason=said, **hiding.texts(**told))
        wakeups.wake(run_id, why=said)
    return request


def expire_due(limit: int) -> int:
    """Close up to `limit` live requests whose time is over and wake their runs; returns how many.

    A run that somebody holds is left for the next round.
    """
    due = (
        ApprovalRequest.objects.filter(
            state__in=states.LIVE, expires_at__lte=clock.ClockTimestamp()
        )
        .order_by("expires_at")
        .values_list("id", flat=True)[:limit]
    )
    return sum(_expire(request_id) for request_id in list(due))


def latest(action_id: UUID) -> ApprovalRequest | None:
    """The newest request of an action, unlocked: what its run goes by."""
    return ApprovalRequest.objects.filter(action_id=action_id).order_by("-revision").first()


def close(request: ApprovalRequest, state: str, *, by: str, because: Said = "") -> None:
    """Move a locked request on, and its approval with it. The caller records and wakes.

    Raises `AlreadyDecidedError` for a move that is not in the table.
    """
    old = request.state
    if not states.may_move(states.REQUEST_MOVES, old, state):
        raise judging.already(request)
    request.state, request.closed_at = state, clock.now()
    request.closed_by, request.closed_because = by, hiding.said(because)
    changed = {column: getattr(request, column) for column in locks.LIVE_COLUMNS}
    if ApprovalRequest.objects.filter(pk=request.pk, state=old).update(**changed) != 1:
        raise judging.already(request)
    if old == states.APPROVED:
        Approval.objects.filter(request=request, state=states.UNUSED).update(state=state)
    notices.settled(request)


def record(request: ApprovalRequest, actor: Actor, verb: str, **detail: Fact) -> None:
    """One event and one audit row about a request, in the caller's transaction."""
    facts: dict[str, Fact] = {"request": request.id, "action": request.action_id, **detail}
    events.append(request.run_id, hiding.text(WORDS[verb]), actor, **facts)
    subject = ours("request:%(id)s", id=request.id)
    audit.record(request.tenant, actor, hiding.text(verb), subject, **facts)


def _asking_run(bound: Bound, lease: Lease | None) -> Run:
    run = locks.run(UUID(bound.run_id))
    if run is None or run.tenant_id != bound.tenant:
        raise QuestionRefusedError(f"tenant {bound.tenant} has no run {bound.run_id}")
    if run.mode != LIVE_MODE:
        raise QuestionRefusedError(f"run {run.id} is a shadow: nobody is asked for it")
    if lease is not None:
        held = run.lease_until is not None and run.lease_until > clock.now()
        shown = (lease.run_id, lease.fence, lease.holder)
        if not held or shown != (run.id, run.fence, run.holder):
            raise LeaseLostError(f"run {run.id}: question refused for fence {lease.fence}")
    return run


def _moved_since(latest: ApprovalRequest | None, question: Question) -> list[Difference]:
    if latest is None:
        return []
    return comparing.since(latest, question.bound, question.requirement.as_json())


def _retire(live: ApprovalRequest, actor: Actor, moved: list[Difference]) -> None:
    if live.expires_at <= clock.now():
        _close_expired(live)
        return
    why = comparing.sentence(moved)
    close(live, states.WITHDRAWN, by=actor.name, because=hiding.text(why))
    told = hiding.texts(reason=why, moved=comparing.fields(moved))
    record(live, actor, "withdraw", **told)


def _by_people_once_used(question: Question, latest: ApprovalRequest | None) -> Question:
    """A rule passes an action once. What was sent and is to be sent again takes a person (rule 6)."""
    if latest is None or not question.requirement.automatic:
        return question
    of_action = ApprovalRequest.objects.filter(action_id=latest.action_id, state=states.USED)
    if not of_action.exists():
        return question
    return replace(question, requirement=question.requirement.by_people())


def _pass(request: ApprovalRequest, rule: str, *, woken: bool) -> None:
    """Approve by a rule: a row like any other, used up like any other, without a person."""
    close(request, states.APPROVED, by=f"The rule “{rule}”")
    Approval.objects.create(request=request, rule=rule)
    told = {"rule": rule, "hash": request.action_hash, "state": request.state}
    record(request, Actor.machine(f"rule {rule}"), states.APPROVE, **hiding.texts(**told))
    if woken:
        wakeups.wake(request.run_id, why=hiding.text(f"The rule “{rule}” allows it."))


def _create(question: Question, run: Run, replaces: ApprovalRequest | None) -> ApprovalRequest:
    asked_at = clock.now()
    expires_at = asked_at + timedelta(seconds=question.requirement.expires_after_seconds)
    bound = question.bound.sealed(nonce=secrets.token_hex(16), expires_at=expires_at)
    request = ApprovalRequest(
        tenant_id=run.tenant_id,
        run=run,
        action_id=UUID(bound.action_id),
        revision=replaces.revision + 1 if replaces else 1,
        replaces=replaces,
        action_hash=hashing.action_hash(bound),
        bound=hashing.bound_bytes(bound),
        nonce=bound.nonce,
        diff=question.diff,
        diff_media=question.media,
        parameters=question.parameters,
        tool=bound.tool,
        describe=question.describe,
        target=question.target,
        summary=list(question.summary),
        magnitude=dict(question.magnitude),
        requirement=question.requirement.as_json(),
        starter_id=run.started_by_id,
        on_behalf_of=run.on_behalf_of,
        asked_at=asked_at,
        expires_at=expires_at,
    )
    judging.bound_of(request)
    request.save(force_insert=True)
    # Asking was the first look at the world; while people decide, others follow.
    Freshness.objects.create(
        request=request,
        tenant_id=run.tenant_id,
        tool=bound.tool,
        seen_at=asked_at,
        due_at=asked_at + FIRST_LOOK,
    )
    return request


def _expire(request_id: UUID) -> bool:
    with transaction.atomic():
        request = locks.request_if_free(request_id)
        # Another sweeper or a person may have been here since; the expiry itself never moves.
        if request is None or request.state not in states.LIVE:
            return False
        _close_expired(request)
        wakeups.wake(request.run_id, why="Nobody decided in time.")
    return True


def _close_expired(request: ApprovalRequest) -> None:
    close(request, states.EXPIRED, by="")
    record(request, Actor.machine(SWEEPER), "expire")
