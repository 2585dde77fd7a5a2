"""Finds what this installation runs, through the setting KEDGE_AGENTS; nothing here imports it."""

from functools import cache
from importlib import import_module
from typing import Any

from django.conf import settings

from canonical import digests
from canonical import json as canonical
from checkpoints.errors import UnknownTaskTypeError
from checkpoints.graph import Graph
from checkpoints.models import Combo


@cache
def agents() -> Any:
    """The module named by KEDGE_AGENTS: `GRAPHS`, `TOOLS` and `manifest(task_type)`."""
    return import_module(settings.KEDGE_AGENTS)


def graph_of(task_type: str) -> Graph:
    """The graph of a task type. Raises `UnknownTaskTypeError`, naming those there are."""
    try:
        graph: Graph = agents().GRAPHS[task_type]
    except KeyError:
        known = ", ".join(sorted(agents().GRAPHS)) or "none"
        raise UnknownTaskTypeError(f"unknown task type {task_type!r}; known: {known}") from None
    return graph


def combo_of(task_type: str) -> Combo:
    """The combo that this process's code, prompts, rules and settings make; stored once."""
    manifest = canonical.dumps(agents().manifest(graph_of(task_type).task_type))
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    Combo.objects.bulk_create(
        [Combo(task_type=task_type, digest=digest, manifest=manifest)], ignore_conflicts=True
    )
    return Combo.objects.get(digest=digest)


def runnable_combos() -> list[int]:
    """Ids of the combos this process can run: those it would make itself, exactly."""
    return [combo_of(task_type).pk for task_type in sorted(agents().GRAPHS)]
