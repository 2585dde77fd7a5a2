"""What the database refuses, whoever writes."""

import uuid
from hashlib import sha256
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from approvals.models import Approval, ApprovalRequest, Decision, TakenBack
from tests.approvals.questions import TWO, approved_by, asked, decide
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db

SHOWN: dict[str, Any] = {
    "action_id": uuid.UUID(int=3),
    "revision": 5,
    "action_hash": "0" * 64,
    "bound": b"{}",
    "nonce": "other",
    "diff": b"-harmless",
    "diff_media": "text/plain",
    "parameters": b"{}",
    "tool": "mail.send",
    "describe": "Nothing much",
    "target": "elsewhere",
    "summary": ["0 files changed"],
    "magnitude": {},
    "requirement": {"approvers": 0},
    "starter_id": None,
    "on_behalf_of": "nobody",
}
MAY_MOVE = {"state", "closed_at", "closed_by", "closed_because"}


def refused(match: str, model: Any, **change: Any) -> None:
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        model.objects.update(**change)


def test_the_cases_below_cover_every_column() -> None:
    columns = {field.attname for field in ApprovalRequest._meta.concrete_fields}
    assert columns == set(SHOWN) | MAY_MOVE | {"id", "tenant_id", "run_id", "replaces_id"} | {
        "asked_at",
        "expires_at",
    }


@pytest.mark.parametrize("column", sorted(SHOWN))
def test_what_was_shown_is_never_changed(column: str) -> None:
    asked()
    refused("never changed", ApprovalRequest, **{column: SHOWN[column]})


def test_the_expiry_is_never_moved() -> None:
    request = asked()
    refused("never changed", ApprovalRequest, expires_at=request.asked_at)
    refused("never changed", ApprovalRequest, asked_at=request.expires_at)


def test_a_hash_that_is_not_of_the_bytes_is_refused() -> None:
    request = asked()
    copy = ApprovalRequest.objects.get(pk=request.pk)
    copy.pk, copy.action_id, copy.nonce = uuid.uuid4(), uuid.uuid4(), "n"
    copy.action_hash = "0" * 64
    with pytest.raises(IntegrityError, match="action_hash_is_of_what_is_bound"):
        copy.save(force_insert=True)


@pytest.mark.parametrize(
    ("changed", "constraint"),
    [
        ({"revision": 2}, "one_live_request_per_action"),
        ({"action_id": uuid.UUID(int=3), "revision": 2}, "names_the_one_it_replaces"),
        ({"state": "lost"}, "request_state_is_known"),
        ({"state": "rejected"}, "open_iff_it_is_not_closed"),
        ({"state": "withdrawn"}, "one_request_per_action_and_revision"),
        ({"action_id": uuid.UUID(int=3), "swap": True}, "expires_after_it_is_asked"),
    ],
)
def test_a_row_that_cannot_be_is_refused(changed: dict[str, Any], constraint: str) -> None:
    request = asked()
    copy = ApprovalRequest.objects.get(pk=request.pk)
    copy.pk = uuid.uuid4()
    bound = bytes(copy.bound).replace(copy.nonce.encode(), b"another-nonce")
    copy.bound, copy.nonce, copy.action_hash = bound, "another-nonce", _hash(bound)
    if changed.pop("swap", False):
        copy.asked_at, copy.expires_at = copy.expires_at, copy.asked_at
    for column, value in changed.items():
        setattr(copy, column, value)
    if copy.state in {"withdrawn", "lost"}:
        copy.closed_at = copy.asked_at
    if copy.revision == 2 and constraint == "one_live_request_per_action":
        copy.replaces = request
    with pytest.raises(IntegrityError, match=constraint):
        copy.save(force_insert=True)


def test_requests_and_approvals_are_never_deleted() -> None:
    request = approved_by(asked(), dee(make_tenant()))
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        Approval.objects.filter(request=request)._raw_delete("default")
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        ApprovalRequest.objects.filter(pk=request.pk)._raw_delete("default")


def test_decisions_are_facts() -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    TakenBack.objects.create(decision=Decision.objects.get(), reason="Too fast.")
    refused("only ever added", Decision, verdict="reject")
    refused("only ever added", TakenBack, reason="No.")
    for model in (TakenBack, Decision):
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            model.objects.all()._raw_delete("default")


@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, "one_decision_per_person_and_request"),
        ({"who": "ada", "verdict": "maybe", "reason": "Hm."}, "verdict_is_known"),
        ({"who": "ada", "verdict": "reject", "reason": ""}, "only_an_approval_needs_no_reason"),
    ],
)
def test_a_decision_that_cannot_be_is_refused(columns: dict[str, Any], constraint: str) -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    user = ada(tenant) if columns.pop("who", "dee") == "ada" else dee(tenant)
    row = {"verdict": "approve", "posted_hash": "0" * 64, **columns}
    with pytest.raises(IntegrityError, match=constraint):
        Decision.objects.create(request=request, user=user, **row)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"state": "lost"}, "approval_state_is_known"),
        ({"state": "used"}, "used_iff_an_attempt_used_it"),
        ({"used_by_attempt": uuid.UUID(int=1)}, "used_iff_an_attempt_used_it"),
    ],
)
def test_an_approval_that_cannot_be_is_refused(change: dict[str, Any], match: str) -> None:
    approved_by(asked(), dee(make_tenant()))
    refused(match, Approval, **change)


@pytest.mark.parametrize("end", ["expired", "withdrawn", "used"])
def test_an_approval_ends_once(end: str) -> None:
    request = approved_by(asked(), dee(make_tenant()))
    used = {"used_at": request.asked_at, "used_by_attempt": uuid.uuid4()} if end == "used" else {}
    Approval.objects.update(state=end, **used)
    refused("is final", Approval, state="unused", used_at=None, used_by_attempt=None)


def test_one_attempt_uses_one_approval() -> None:
    tenant, attempt = make_tenant(), uuid.uuid4()
    first, second = (approved_by(asked(), dee(tenant)) for _ in range(2))
    used = {"state": "used", "used_at": first.asked_at, "used_by_attempt": attempt}
    Approval.objects.filter(request=first).update(**used)
    with pytest.raises(IntegrityError, match="used_by_attempt"):
        Approval.objects.filter(request=second).update(**used)


def _hash(bound: bytes) -> str:
    return sha256(b"kedge:action-hash:v1\x00" + bound).hexdigest()
