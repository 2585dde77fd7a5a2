"""Requests as pages show them: a real diff of many files, a mail, and a site to open them on."""

from typing import Any
from uuid import uuid4

from django.test import Client

from approvals.hashing import diff_digest
from approvals.models import ApprovalRequest
from approvals.requests import Question
from approvals.rules import Requirement
from canonical import digests
from checkpoints.models import Run
from tenants.models import Tenant, User
from tests.approvals.questions import ONE, ask, make_bound, make_run

MAIL = (
    b"From: fleet@kedge.example\r\nTo: noor@kedge.example\r\nSubject: 4 findings\r\n\r\nHello.\r\n"
)


def git_diff(files: int, lines: int = 2) -> bytes:
    """A diff as git writes it: a workflow first, then sources of `lines` changed lines each."""
    paths = [".github/workflows/release.yml", *(f"src/module_{n}.py" for n in range(files - 1))]
    return "".join(_file(path, lines) for path in paths[:files]).encode()


def _file(path: str, lines: int) -> str:
    rows = "".join(f"-old_{n} = 'x'\n+new_{n} = f'y'\n" for n in range(lines))
    return (
        f"diff --git a/{path} b/{path}\nindex 3f1c2aa..9b0d1e2 100644\n"
        f"--- a/{path}\n+++ b/{path}\n@@ -1,{lines} +1,{lines} @@ def main():\n{rows}"
    )


def question(
    run: Run,
    diff: bytes,
    media: str = "text/x-diff",
    *,
    parameters: bytes = b'{"branch":"main"}',
    requirement: Requirement = ONE,
    action_id: str = "",
    **words: Any,
) -> Question:
    """A question about any change; `words` are columns of the request as people read them."""
    bound = make_bound(
        run,
        action_id=action_id or str(uuid4()),
        diff_digest=diff_digest(diff, media, ()),
        parameters_digest=digests.sha256_hex(parameters),
    )
    told: dict[str, Any] = {
        "summary": ("Replace percent formats", "5 files changed"),
        "describe": "Push 5 files to requests",
        "target": "requests main",
        "magnitude": {"files": 5, "lines": 10},
    }
    return Question(
        bound=bound,
        parameters=parameters,
        diff=diff,
        media=media,
        requirement=requirement,
        **{**told, **words},
    )


def asked_about(
    diff: bytes, media: str = "text/x-diff", *, tenant: Tenant | None = None, **more: Any
) -> ApprovalRequest:
    """An open request of a fresh run about this change."""
    return ask(question(make_run(tenant), diff, media, **more))


def signed_in(user: User) -> Client:
    """A client with the person signed in, who also keeps forms safe: tokens are checked."""
    client = Client(enforce_csrf_checks=False)
    client.force_login(user)
    return client


def address(request: ApprovalRequest, rest: str = "") -> str:
    return f"/t/{request.tenant.slug}/approvals/{request.pk}/{rest}"
