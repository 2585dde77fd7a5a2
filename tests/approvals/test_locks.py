"""The lock order run → request, by which no two verbs can wait for each other."""

import re
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import psycopg
import pytest

from approvals import locks, requests
from approvals.models import ApprovalRequest
from tenants import pipelines
from tenants.pipelines import Statement
from tests.approvals import using
from tests.approvals.questions import (
    WORKER,
    approved_by,
    ask,
    asked,
    decide,
    make_question,
    make_run,
)
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

LOCKED = re.compile(r'FROM "?(\w+)"?\s.*FOR UPDATE', re.DOTALL)


def locked_by(verb: Callable[[], object]) -> list[str]:
    """The tables a verb locks, in order. Watches the driver: hot statements pass Django by."""
    seen: list[str] = []
    execute, run = psycopg.Cursor.execute, pipelines.run

    def watched(cursor: Any, query: Any, *rest: Any, **more: Any) -> Any:
        seen.append(query.decode() if isinstance(query, bytes) else str(query))
        return execute(cursor, query, *rest, **more)

    def ran(on: Any, statements: Sequence[Statement]) -> Any:
        seen.extend(statement for statement, _ in statements)
        return run(on, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", watched)
        patch.setattr(pipelines, "run", ran)
        verb()
    found = [LOCKED.search(statement) for statement in seen]
    return [match[1] for match in found if match]


def test_the_run_is_locked_before_its_request() -> None:
    request = asked()
    order = ["checkpoints_run", "approvals_approvalrequest"]
    assert locked_by(lambda: locks.request(request.id)) == order
    assert locked_by(lambda: locks.request_if_free(request.id)) == order


def test_every_verb_takes_the_locks_in_that_order() -> None:
    question = make_question(make_run())
    first = ["checkpoints_run", "approvals_approvalrequest"]
    assert locked_by(lambda: ask(question))[:2] == first
    request = requests.latest(uuid.UUID(question.bound.action_id))
    assert request is not None
    user = dee(make_tenant())
    assert locked_by(lambda: decide(request, user))[:2] == first
    cancel = partial(requests.withdraw, request.action_id, actor=WORKER, reason="Cancelled.")
    assert locked_by(cancel)[:2] == first


def test_dispatch_locks_request_then_approval() -> None:
    request = approved_by(asked(), dee(make_tenant()))

    def use() -> None:
        using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid.uuid4())

    assert locked_by(use) == ["approvals_approvalrequest", "approvals_approval"]


def test_the_newest_request_of_an_action_is_the_one_that_is_locked() -> None:
    request = asked()
    found = locks.latest(request.action_id)
    assert found == request
    assert locks.latest(uuid.uuid4()) is None


def test_a_request_that_does_not_exist_is_not_locked() -> None:
    with pytest.raises(ApprovalRequest.DoesNotExist):
        locks.request(uuid.uuid4())
