"""An action as evidence: what was asked, what was shown and decided, what was sent and answered."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from approvals.models import Approval, ApprovalRequest, Decision, SecondLook
from approvals.showing import shown
from reconciliation.evidence.bytestore import Bytes
from reconciliation.models import Action, Attempt, LookUp, Receipt
from tenants.models import User
from tenants.trail.rows import instant, instant_or_none

Json = Any


def as_json(action: Action, kept: Bytes) -> dict[str, Json]:
    """One action with its questions, attempts and receipts; payloads go to `kept`, by digest."""
    asked = ApprovalRequest.objects.filter(action_id=action.pk).order_by("revision")
    attempts = Attempt.objects.filter(action=action).order_by("number")
    return {
        "id": str(action.pk),
        "node": action.node,
        "ordinal": action.ordinal,
        "generation": action.generation,
        "key": bytes(action.key).hex(),
        "tool": action.tool,
        "tool_schema_digest": action.tool_schema_digest,
        "acting_credential": action.acting_credential,
        "describe": action.describe,
        "target": action.target,
        "magnitude": action.magnitude,
        "parameters": kept.of(action.parameters, bytes(action.parameters_digest).hex()),
        "compensates": str(action.compensates_id) if action.compensates_id else None,
        "stands": action.stands,
        "outcome": action.outcome,
        "because": action.because,
        "note": action.note,
        "evidence_at": instant_or_none(action.evidence_at),
        "proposed_seq": action.proposed_seq,
        "absorbed_seq": action.absorbed_seq,
        "proposed_at": instant(action.proposed_at),
        "settled_at": instant_or_none(action.settled_at),
        "requests": [of_request(each, kept) for each in asked],
        "attempts": [_attempt(each, kept) for each in attempts],
    }


def person(user: User) -> dict[str, Json]:
    """A person as evidence names them."""
    return {"id": user.pk, "name": str(user)}


def of_request(asked: ApprovalRequest, kept: Bytes) -> dict[str, Json]:
    """One question: what was shown and bound, who opened and decided what, what a model noticed."""
    decisions = asked.decisions.select_related("user", "taken_back").order_by("at")
    return {
        "id": str(asked.pk),
        "revision": asked.revision,
        "hash": asked.action_hash,
        "bound": bytes(asked.bound).decode(),
        "diff": kept.of(asked.diff),
        "media": asked.diff_media,
        "parameters": kept.of(asked.parameters),
        "describe": asked.describe,
        "on_behalf_of": asked.on_behalf_of,
        "target": asked.target,
        "summary": asked.summary,
        "magnitude": asked.magnitude,
        "requirement": asked.requirement,
        "asked_at": instant(asked.asked_at),
        "expires_at": instant(asked.expires_at),
        "state": asked.state,
        "closed_at": instant_or_none(asked.closed_at),
        "closed_by": asked.closed_by,
        "closed_because": asked.closed_because,
        "opened": _opened(asked),
        "second_look": _second_look(asked, kept),
        "handed_over": _handed_over(asked),
        "decisions": [_decision(each) for each in decisions],
        "approval": _approval(asked),
    }


def _handed_over(asked: ApprovalRequest) -> list[dict[str, Json]]:
    found = asked.handovers.select_related("given_by", "given_to").order_by("at")
    return [
        {
            "person": person(each.given_by),
            "to": person(each.given_to),
            "note": each.note,
            "at": instant(each.at),
            "taken_back_at": instant_or_none(each.taken_back_at),
        }
        for each in found
    ]


def _opened(asked: ApprovalRequest) -> list[dict[str, Json]]:
    return [
        {
            "person": person(each.user),
            "part": each.part,
            "from": each.from_byte,
            "to": each.to_byte,
            "digest": each.digest,
            "at": instant(each.at),
        }
        for each in shown.opened(asked)
    ]


def _second_look(asked: ApprovalRequest, kept: Bytes) -> dict[str, Json] | None:
    """What a model noticed: it stands beside the decisions and is none."""
    look = SecondLook.objects.filter(request=asked).first()
    if look is None:
        return None
    seen = look.seen.select_related("user").order_by("at")
    return {
        "hash": look.action_hash,
        "shown": look.shown_digest,
        "outcome": look.outcome,
        "remarks": kept.of(look.remarks),
        "count": look.remark_count,
        "why": look.why,
        "model": look.model,
        "prompt": look.prompt_digest,
        "combo": look.combo_digest,
        "tokens": {"prompt": look.prompt_tokens, "completion": look.completion_tokens},
        "left_out": look.left_out,
        "at": instant(look.at),
        "seen": [{"person": person(each.user), "at": instant(each.at)} for each in seen],
    }


def _decision(decision: Decision) -> dict[str, Json]:
    back = getattr(decision, "taken_back", None)
    return {
        "person": person(decision.user),
        "verdict": decision.verdict,
        "reason": decision.reason,
        "hash": decision.posted_hash,
        "unopened": decision.unopened,
        "proved": proved(decision.proved_by, decision.proved_at),
        "at": instant(decision.at),
        "taken_back": {"reason": back.reason, "at": instant(back.at)} if back else None,
    }


def proved(by: str, at: datetime | None) -> dict[str, Json] | None:
    """How and when somebody proved that it is them; None where nothing asked for it."""
    return {"by": by, "at": instant(at)} if at else None


def _approval(asked: ApprovalRequest) -> dict[str, Json] | None:
    approval = Approval.objects.filter(request=asked).first()
    if approval is None:
        return None
    return {
        "state": approval.state,
        "rule": approval.rule,
        "granted_at": instant(approval.granted_at),
        "used_at": instant_or_none(approval.used_at),
        "used_by": str(approval.used_by_attempt) if approval.used_by_attempt else None,
    }


def _attempt(attempt: Attempt, kept: Bytes) -> dict[str, Json]:
    return {
        "id": str(attempt.pk),
        "number": attempt.number,
        "request": str(attempt.approval_id) if attempt.approval_id else None,
        "hash": attempt.action_hash,
        "fence": attempt.fence,
        "holder": str(attempt.holder),
        "dispatched_at": instant(attempt.dispatched_at),
        "deadline_at": instant(attempt.deadline_at),
        "margin_seconds": attempt.margin_seconds,
        "outcome": attempt.outcome,
        "settled_at": instant_or_none(attempt.settled_at),
        "receipts": _receipts(attempt.receipts.order_by("id"), kept),
        "look_ups": _look_ups(attempt.look_ups.order_by("id")),
    }


def _receipts(receipts: Iterable[Receipt], kept: Bytes) -> list[dict[str, Json]]:
    return [
        {
            "source": each.source,
            "content": kept.of(each.content, bytes(each.digest).hex()),
            "wire": each.wire_digest,
            "fence": each.fence,
            "at": instant(each.at),
        }
        for each in receipts
    ]


def _look_ups(look_ups: Iterable[LookUp]) -> list[dict[str, Json]]:
    return [
        {"answer": each.answer, "detail": each.detail, "at": instant(each.at)} for each in look_ups
    ]
