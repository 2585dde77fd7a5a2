"""The kinds of faults, by name. A kind is a small class; each strike is an object of its own."""

from collections.abc import Iterable
from typing import Protocol

from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

__all__ = ["Arena", "Fault", "Kinds", "by_name"]


class Kinds(Protocol):
    """A module of faults: `KINDS` lists its classes."""

    KINDS: tuple[type[Fault], ...]


def by_name(modules: Iterable[Kinds]) -> dict[str, type[Fault]]:
    """Every kind of these modules, by its name. Raises `ValueError` when two share one."""
    found: dict[str, type[Fault]] = {}
    for module in modules:
        for kind in module.KINDS:
            if found.setdefault(kind.name, kind) is not kind:
                raise ValueError(f"two kinds of faults are called {kind.name!r}")
    return found
