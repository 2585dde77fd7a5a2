"""Deciding: what people answer, and the approval that follows when enough of them say yes."""

from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from approvals import clock, hashing, judging, locks, requests, states, words
from approvals.drift import moving as drift
from approvals.errors import (
    HashMismatchError,
    NotApprovedError,
    NotPermittedError,
    ReasonMissingError,
)
from approvals.looking import seen
from approvals.models import Approval, ApprovalRequest, Decision, TakenBack
from approvals.people import proving
from approvals.showing import agreeing, coverage, opening
from canonical.redaction import Fact
from checkpoints import wakeups
from checkpoints.boundaries import boundary
from tenants import access
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

# Taking permission away is open to those who give it and to those who stop effects.
MAY_WITHDRAW = frozenset({"approve_actions", "operate_runs"})


@dataclass(frozen=True)
class Given:
    """One answer. `shown` is the hash of the page it was given on; `without` how many parts the
    person says they decide without having opened them."""

    verdict: str
    reason: str
    shown: str
    without: int = 0


def decide(request_id: UUID, given: Given, *, actor: Actor, user: User) -> ApprovalRequest:
    """Record what one person decided on the hash their page carried; returns the request.

    The same person posting the same again gets the recorded result. Raises `NotPermittedError`,
    `HashMismatchError` (with the fields that moved; `MovedError` when the newest look saw them
    move), `AlreadyDecidedError` (by whom and when), `ContradictoryDiffError`, `UnopenedError`,
    `RemarksUnseenError`, `ProofNeededError`, `ReasonMissingError`, `DamagedRequestError`, ValueError.
    """
    verdict = given.verdict
    if verdict not in states.VERDICTS:
        raise ValueError(f"unknown verdict {verdict!r}")
    if verdict == states.APPROVE:
        coverage.parts_of(request_id)  # a large change is read before anything is locked
    boundary("decide:before")
    with transaction.atomic():
        request = locks.request(request_id)
        judging.admit(request, actor=actor, user=user)
        mine = Decision.objects.filter(request=request, user=user).first()
        if mine is not None and (mine.verdict, mine.posted_hash) == (verdict, given.shown):
            return request
        _judge(request, mine, given.shown)
        saw = seen.refuse_if_unseen(request, user) if verdict == states.APPROVE else {}
        without = _judge_yes(request, given, actor, user) if verdict == states.APPROVE else 0
        if verdict != states.APPROVE and not given.reason.strip():
            raise ReasonMissingError(f"request {request_id}: {verdict} without a reason")
        given = replace(given, reason=str(words.of(request, given.reason)))
        Decision.objects.create(
            request=request,
            user=user,
            verdict=verdict,
            reason=given.reason,
            posted_hash=given.shown,
            unopened=without,
            **actor.proof_columns(),
        )
        _conclude(request, actor, verdict, given.reason)
        told = _told(request, given, without, saw) | actor.proof_told()
        requests.record(request, actor, verdict, **told)
        transaction.on_commit(partial(boundary, "decide:after"))
    return request


def take_back(request_id: UUID, *, actor: Actor, user: User, reason: str) -> ApprovalRequest:
    """Take one's own yes back while the request still waits for others.

    Raises `AlreadyDecidedError` once it is closed (an approval is withdrawn instead, by
    `withdraw_approval`), `NotPermittedError` for anybody without a yes to take back.
    """
    _need(reason, request_id)
    with transaction.atomic():
        request = locks.request(request_id)
        if actor.kind != "person" or actor.user_id != user.pk:
            raise NotPermittedError("machine", request_id)
        if request.state != states.OPEN:
            raise judging.already(request)
        yes = Decision.objects.filter(
            request=request, user=user, verdict=states.APPROVE, taken_back__isnull=True
        ).first()
        if yes is None:
            raise NotPermittedError("no_right", request_id)
        reason = str(words.of(request, reason))
        TakenBack.objects.create(decision=yes, reason=reason)
        requests.record(request, actor, "take_back", reason=hiding.text(reason))
    return request


def withdraw_approval(request_id: UUID, *, actor: Actor, reason: str) -> ApprovalRequest:
    """Withdraw a given approval before an effect has used it; its run is woken and hears it.

    Raises `AlreadyDecidedError` when it is used (the effect is on its way) or gone already,
    `NotApprovedError` when nobody has approved yet, and `NotPermittedError` for people with
    neither `approve_actions` nor `operate_runs`.
    """
    _need(reason, request_id)
    with transaction.atomic():
        request = locks.request(request_id)
        if not may_withdraw(request, actor):
            raise NotPermittedError("no_right", request_id)
        if request.state == states.OPEN:
            raise NotApprovedError(states.OPEN, request.action_id)
        reason = str(words.of(request, reason))
        requests.close(request, states.WITHDRAWN, by=actor.name, because=hiding.text(reason))
        requests.record(request, actor, "withdraw_approval", reason=hiding.text(reason))
        said = hiding.text(f"{actor.name} withdrew the approval.")
        wakeups.wake(request.run_id, why=said)
    return request


def may_withdraw(request: ApprovalRequest, actor: Actor) -> bool:
    """True for those who give permission here and for those who stop effects."""
    if actor.kind == "machine":
        return True
    if actor.user_id is None:
        return False
    rights = access.of(User.objects.get(pk=actor.user_id)).rights
    return bool(MAY_WITHDRAW & rights.get(request.tenant_id, frozenset()))


def _judge(request: ApprovalRequest, mine: Decision | None, posted_hash: str) -> None:
    if request.state != states.OPEN:
        _refuse_if_replaced(request, posted_hash)
        raise judging.already(request)
    if request.expires_at <= clock.now():
        raise judging.past_expiry(request)
    bound = judging.bound_of(request)
    if posted_hash != request.action_hash:
        shown = judging.shown_as(request.action_id, posted_hash)
        raise HashMismatchError(
            request.id,
            hashing.differences(judging.bound_of(shown), bound) if shown is not None else [],
        )
    if mine is not None:
        raise judging.already_by(request, mine)


def _judge_yes(request: ApprovalRequest, given: Given, actor: Actor, user: User) -> int:
    """What only a yes needs: a no harms nobody, whatever has moved. Returns the parts not opened."""
    drift.refuse_if_moved(request)
    agreeing.refuse_if_contradictory(request)
    without = opening.refuse_if_unopened(request, user, without=given.without)
    proving.refuse_if_stale(request, actor)
    return without


def _told(
    request: ApprovalRequest, given: Given, without: int, saw: dict[str, str]
) -> dict[str, Fact]:
    more = saw | ({"unopened": str(without)} if without else {})
    said = hiding.texts(reason=given.reason, hash=given.shown, state=request.state, **more)
    return {**said}


def _refuse_if_replaced(request: ApprovalRequest, posted_hash: str) -> None:
    """The page shows a question that another has replaced: say what moved, not only "closed"."""
    newest = judging.successor(request)
    if request.state == states.WITHDRAWN and newest is not None:
        shown = judging.shown_as(request.action_id, posted_hash) or request
        moved = hashing.differences(judging.bound_of(shown), judging.bound_of(newest))
        raise HashMismatchError(newest.id, moved)


def _conclude(request: ApprovalRequest, actor: Actor, verdict: str, reason: str) -> None:
    """Close the request if this answer does, and wake its run on the same commit."""
    if verdict in states.CLOSES_AS:
        requests.close(
            request, states.CLOSES_AS[verdict], by=actor.name, because=hiding.text(reason)
        )
    elif judging.is_enough(request):
        requests.close(request, states.APPROVED, by=actor.name, because=hiding.text(reason))
        Approval.objects.create(request=request)
    else:
        return
    said = hiding.text(f"{actor.name} decided: {request.state}.")
    wakeups.wake(request.run_id, why=said)


def _need(reason: str, request_id: UUID) -> None:
    if not reason.strip():
        raise ReasonMissingError(f"request {request_id}")
