"""What the tests of permission ask: a run Ada started, a push it wants, and people who decide."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import connection

from approvals import clock, hashing, judging, requests
from approvals.hashing import Bound
from approvals.models import ApprovalRequest
from approvals.requests import Question
from approvals.rules import Requirement
from canonical import digests
from checkpoints.models import Combo, Run
from tenants import access
from tenants.actors import Actor
from tenants.models import Tenant, User
from tests.opening import read_and_decide
from tests.people import ada, make_tenant

WORKER = Actor.machine("worker-1")
DIFF = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
PARAMETERS = b'{"branch":"main"}'
DAY = 24 * 3600
ONE = Requirement(1, not_starter=True, permission="approve_actions", expires_after_seconds=DAY)
TWO = replace(ONE, approvers=2)


def make_run(tenant: Tenant | None = None, **columns: Any) -> Run:
    """A queued run that Ada started."""
    tenant = tenant or make_tenant()
    manifest = b'{"task":"demo"}'
    combo = Combo.objects.filter(manifest=manifest).first() or Combo.objects.create(
        task_type="demo", manifest=manifest, digest=bytes.fromhex(digests.sha256_hex(manifest))
    )
    defaults: dict[str, Any] = {
        "tenant": tenant,
        "task_type": "demo",
        "combo": combo,
        "business_key": uuid.uuid4().hex,
        "effect_scope": uuid.uuid4(),
        "input": b"{}",
        "input_digest": bytes.fromhex(digests.sha256_hex(b"{}")),
        "started_by": ada(tenant),
        "caller": "Ada",
        "channel": "page",
        "next_node": "push",
    }
    return Run.objects.create(**{**defaults, **columns})


def make_bound(run: Run | None = None, **fields: Any) -> Bound:
    """What a push is bound to. Without a run: any run, for tests that touch no database."""
    bound = Bound(
        tenant=run.tenant_id if run else 7,
        run_id=str(run.id if run else uuid.UUID(int=1)),
        action_id=str(uuid.uuid4() if run else uuid.UUID(int=2)),
        tool="git.push",
        tool_schema_digest="5" * 64,
        acting_credential="kedge@remote",
        parameters_digest=digests.sha256_hex(PARAMETERS),
        rules_version="r" * 64,
        resources={"origin/main": "a" * 40, "origin/gone": ""},
        diff_digest=hashing.diff_digest(DIFF, "text/x-diff", ()),
        volatile=(),
        volatile_version="1",
    )
    return replace(bound, **fields)


def make_question(run: Run, *, requirement: Requirement = ONE, **fields: Any) -> Question:
    """A push that the run wants; `fields` are those of `Bound`."""
    return Question(
        bound=make_bound(run, **fields),
        parameters=PARAMETERS,
        diff=DIFF,
        media="text/x-diff",
        summary=("1 file changed",),
        describe="Push one file to origin/main",
        target="origin/main",
        magnitude={"files": 1},
        requirement=requirement,
    )


def ask(question: Question) -> ApprovalRequest:
    return requests.ask(question, actor=WORKER, lease=None)


def asked(*, requirement: Requirement = ONE, seconds: int | None = None) -> ApprovalRequest:
    """An open request of a fresh run; `seconds` until it expires."""
    if seconds is not None:
        requirement = replace(requirement, expires_after_seconds=seconds)
    return ask(make_question(make_run(), requirement=requirement))


def decide(
    request: ApprovalRequest, user: User, verdict: str = "approve", reason: str = "Because."
) -> ApprovalRequest:
    """One answer of a person who has opened all that they say yes to."""
    return read_and_decide(request, user, verdict, reason)


def approved_by(request: ApprovalRequest, *people: User) -> ApprovalRequest:
    for user in people:
        decide(request, user)
    request.refresh_from_db()
    return request


def make_due(request: ApprovalRequest) -> None:
    """Let its time be over, as if it had been asked two days ago."""
    expire_in(request, seconds=-DAY)


def expire_in(request: ApprovalRequest, *, seconds: float) -> None:
    """Move its end, as if it had been asked earlier: hash and bytes stay true."""
    expires_at = clock.now() + timedelta(seconds=seconds)
    bound = judging.bound_of(request).sealed(nonce=request.nonce, expires_at=expires_at)
    tamper(
        request,
        asked_at=expires_at - timedelta(days=1),
        expires_at=expires_at,
        bound=hashing.bound_bytes(bound),
        action_hash=hashing.action_hash(bound),
    )


def tamper(request: ApprovalRequest, **columns: Any) -> None:
    """Change what was shown with the triggers off: no verb can do it."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        ApprovalRequest.objects.filter(pk=request.pk).update(**columns)
        cursor.execute("SET session_replication_role = DEFAULT")
    request.refresh_from_db()


def eve(*tenants: Tenant) -> User:
    """A third approver."""
    user = User.objects.filter(email="eve@example.org").first()
    user = user or User.objects.create_user("eve@example.org", name="Eve")
    for tenant in tenants:
        access.grant(tenant, user, "view_runs", "read_payloads", "approve_actions")
    return user
