"""Finds what this installation runs, through the setting KEDGE_AGENTS; nothing here imports it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, Final

from django.conf import settings
from django.db.models import BinaryField, QuerySet, Value

from canonical import digests
from canonical import json as canonical
from checkpoints.errors import UnknownTaskTypeError, UnknownVariantError
from checkpoints.functions import CodePart
from checkpoints.graph import Graph
from checkpoints.models import Combo

# More than anybody registers for one code; what lies beyond is run by nobody.
MOST_COMBOS: Final = 10_000


@cache
def agents() -> Any:
    """The module named by KEDGE_AGENTS: `GRAPHS`, `TOOLS` and `manifest(task_type)`.

    One with variants has `variants(task_type)`, their names, and `manifest(task_type, variant)`.
    """
    return import_module(settings.KEDGE_AGENTS)


@contextmanager
def instead(module: str) -> Iterator[None]:
    """Meanwhile the agents of this process are those of another module: for commands, not threads.

    Raises `ImportError`.
    """
    was = settings.KEDGE_AGENTS
    settings.KEDGE_AGENTS = module
    agents.cache_clear()
    try:
        agents()
        yield
    finally:
        settings.KEDGE_AGENTS = was
        agents.cache_clear()


def graph_of(task_type: str) -> Graph:
    """The graph of a task type. Raises `UnknownTaskTypeError`, naming those there are."""
    try:
        graph: Graph = agents().GRAPHS[task_type]
    except KeyError:
        known = ", ".join(sorted(agents().GRAPHS)) or "none"
        raise UnknownTaskTypeError(f"unknown task type {task_type!r}; known: {known}") from None
    return graph


def variants(task_type: str) -> list[str]:
    """The names of a task type's variants."""
    named = getattr(agents(), "variants", None)
    return list(named(graph_of(task_type).task_type)) if named else []


def combo_of(task_type: str, variant: str = "") -> Combo:
    """The combo that this process's code, prompts, rules and settings make; stored once.

    Raises `UnknownTaskTypeError`, `UnknownVariantError`.
    """
    manifest = _manifest(task_type, variant)
    digest = _digest(manifest)
    # Every start asks: only the first of a combo writes.
    known = Combo.objects.filter(digest=digest).first()
    if known is not None:
        return known
    _store({digest: (task_type, manifest)})
    return Combo.objects.get(digest=digest)


def runnable_combos() -> list[int]:
    """Ids of the combos that this process can run: all that differ from its own in texts alone."""
    own = _own()
    found = _of_same_code(own)
    if own.keys() - set(found.values()):
        _store(own)
        found = _of_same_code(own)
    return list(found)


def of_this_code() -> QuerySet[Combo]:
    """The stored combos that this process can run."""
    parts = Combo.objects.filter(digest__in=list(_own())).values("code_part")
    return Combo.objects.filter(code_part__in=parts)


def runs_here(combo: Combo) -> bool:
    """Whether this process has the code of a combo. Nothing is stored: it may never be deployed."""
    if combo.task_type not in agents().GRAPHS:
        return False
    own = Value(_manifest(combo.task_type, ""), output_field=BinaryField())
    return Combo.objects.filter(pk=combo.pk, code_part=CodePart(own)).exists()


def codes() -> list[str]:
    """The code parts of this process, in hex: what a worker announces."""
    own = _own()
    _store(own)
    parts = Combo.objects.filter(digest__in=own).values_list("code_part", flat=True)
    return sorted(bytes(part).hex() for part in parts)


def by_beginning(found: QuerySet[Combo], beginning: str) -> Combo:
    """The one combo of these whose digest, in hex, begins so.

    Raises `Combo.DoesNotExist`, which says how many do, also for several.
    """
    known = found.defer("manifest").order_by("-pk")
    hits = [each for each in known if each.hex.startswith(beginning.lower())]
    if len(hits) != 1:
        raise Combo.DoesNotExist(f"{len(hits)} combos begin with {beginning!r}")
    return hits[0]


def _manifest(task_type: str, variant: str) -> bytes:
    graph_of(task_type)
    if not variant:
        return canonical.dumps(agents().manifest(task_type))
    if variant not in variants(task_type):
        known = ", ".join(variants(task_type)) or "none"
        raise UnknownVariantError(f"{task_type} has no variant {variant!r}; it has: {known}")
    return canonical.dumps(agents().manifest(task_type, variant))


def _digest(manifest: bytes) -> bytes:
    return bytes.fromhex(digests.sha256_hex(manifest))


def _own() -> dict[bytes, tuple[str, bytes]]:
    """Task type and manifest of each combo that this process would make, by digest."""
    made = [(task_type, _manifest(task_type, "")) for task_type in sorted(agents().GRAPHS)]
    return {_digest(manifest): (task_type, manifest) for task_type, manifest in made}


def _of_same_code(own: Mapping[bytes, Any]) -> dict[int, bytes]:
    """Digest of each stored combo that has the code part of one of these, by id, newest first."""
    parts = Combo.objects.filter(digest__in=list(own)).values("code_part")
    found = Combo.objects.filter(code_part__in=parts).order_by("-pk")
    return {pk: bytes(digest) for pk, digest in found.values_list("pk", "digest")[:MOST_COMBOS]}


def _store(made: Mapping[bytes, tuple[str, bytes]]) -> None:
    combos = [
        Combo(task_type=task_type, digest=digest, manifest=manifest)
        for digest, (task_type, manifest) in made.items()
    ]
    Combo.objects.bulk_create(combos, ignore_conflicts=True)
