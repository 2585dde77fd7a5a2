"""More combos of a task than the code here makes, and routes to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from canonical import digests
from canonical import json as canonical
from checkpoints.models import Combo
from tests.engine import registry


def another(task_type: str, about: str, *tools: str) -> Combo:
    """A combo that differs from the installed one in its prompt, and in the tools that it names."""
    named: dict[str, Any] = {"tools": {tool: {} for tool in tools}} if tools else {}
    told = {**registry.manifest(task_type), "prompts": {"think": about}, **named}
    manifest = canonical.dumps(told)
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    return Combo.objects.create(task_type=task_type, digest=digest, manifest=manifest)


@contextmanager
def free_routes() -> Iterator[None]:
    """Routes go where a test says; else only where a release leads them."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE checkpoints_route DISABLE TRIGGER route_follows_its_release")
    yield
    if not connection.in_atomic_block:  # else it is rolled back with the test
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE checkpoints_route ENABLE TRIGGER route_follows_its_release")
