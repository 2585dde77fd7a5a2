"""What the tests of the record share: steps to commit, refusals, and rows changed by force."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from canonical import json as canonical
from checkpoints import commits, reading
from checkpoints.commits import Lease
from checkpoints.headers import Step
from checkpoints.models import Run


def step(state: dict[str, Any] | None = None, **fields: Any) -> Step:
    """A step of the node "count" to itself."""
    content = canonical.dumps(state or {})
    values = {"node": "count", "next_node": "count", "state": content, "schema": 1}
    return Step(**{**values, **fields})


def commit(lease: Lease, made: Step | None = None, *, parent: int | None = None) -> Lease:
    """Commit a step on top of `parent` (the head by default); returns the lease of the new head."""
    run = fresh(lease)
    before = reading.load(run, lease.head if parent is None else parent).ancestry(run)
    committed = commits.commit(lease, before, made or step())
    return replace(lease, head=committed.seq)


def fresh(lease: Lease) -> Run:
    return Run.objects.select_related("combo", "tenant").get(id=lease.run_id)


@contextmanager
def refused(saying: str) -> Iterator[None]:
    """The database itself must refuse, by the constraint or the sentence `saying`."""
    with pytest.raises(IntegrityError, match=re.escape(saying)), _judged_at_its_end():
        yield


@contextmanager
def _judged_at_its_end() -> Iterator[None]:
    with transaction.atomic():
        yield
        judge_now()


def judge_now() -> None:
    """Judge what is otherwise judged at the end of the transaction."""
    run_sql("SET CONSTRAINTS ALL IMMEDIATE")
    run_sql("SET CONSTRAINTS ALL DEFERRED")


def run_sql(statement: str, *values: Any) -> None:
    """One raw statement: what somebody with the database's password can do."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


@contextmanager
def by_force(*constraints: tuple[str, str]) -> Iterator[None]:
    """With triggers off and the given (table, constraint) dropped: damage that no rule stops."""
    judge_now()  # PostgreSQL alters no table whose rows still wait to be judged
    for table, constraint in constraints:
        run_sql(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {constraint}")
    run_sql("SET session_replication_role = replica")
    yield
    run_sql("SET session_replication_role = DEFAULT")
