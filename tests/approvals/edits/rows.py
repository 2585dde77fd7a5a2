"""Edits as rows, for tests that need one and no graph: what they say of the state is made up."""

import secrets
from dataclasses import replace
from datetime import timedelta
from typing import Any

from approvals import clock
from approvals.edits import hashing
from approvals.edits.hashing import Bound
from approvals.models import EditRequest
from canonical import digests
from canonical import json as canonical
from checkpoints.models import Case
from tenants.models import User

CONTENT = b'{"amount":7}'
DIFF = canonical.dumps(
    {
        "before": {"next node": "second", "schema": 1, "state": {"amount": -1}},
        "after": {"next node": "second", "schema": 1, "state": {"amount": 7}},
    }
)


def bound_of(case: Case, author: User, **fields: Any) -> Bound:
    """What an edit of this case would be bound to."""
    bound = Bound(
        kind="edit_state",
        tenant=case.tenant_id,
        run_id=str(case.run_id),
        case_id=str(case.pk),
        author=author.pk,
        reason="the amount is wrong",
        combo=bytes(case.run.combo.digest).hex(),
        fence=case.run.fence,
        head_seq=0,
        head_digest="a" * 64,
        parent_seq=0,
        parent_digest="a" * 64,
        was_schema=1,
        was_next_node="second",
        was_state="",
        schema=1,
        next_node="second",
        state=digests.sha256_hex(CONTENT),
        diff_digest=digests.sha256_hex(DIFF),
    )
    return replace(bound, **fields)


def bare_edit(case: Case, author: User, **columns: Any) -> EditRequest:
    """A proposal that is open, written past the verbs."""
    at = clock.now()
    expires_at = columns.pop("expires_at", at + timedelta(hours=1))
    bound = bound_of(case, author).sealed(nonce=secrets.token_hex(16), expires_at=expires_at)
    values: dict[str, Any] = {
        "tenant_id": case.tenant_id,
        "run_id": case.run_id,
        "case": case,
        "kind": bound.kind,
        "edit_hash": hashing.edit_hash(bound),
        "bound": hashing.bound_bytes(bound),
        "nonce": bound.nonce,
        "parent_seq": bound.parent_seq,
        "next_node": bound.next_node,
        "schema": bound.schema,
        "content": CONTENT,
        "diff": DIFF,
        "reason": bound.reason,
        "author": author,
        "starter_id": case.run.started_by_id,
        "asked_at": min(at, expires_at - timedelta(seconds=1)),
        "expires_at": expires_at,
    }
    return EditRequest.objects.create(**{**values, **columns})


def service() -> User:
    """A machine that may sign in nowhere; whoever gives it rights gives a machine rights."""
    user = User(email="robot@example.org", kind=User.Kind.SERVICE)
    user.set_unusable_password()
    user.save()
    return user
