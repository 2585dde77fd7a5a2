"""What the URL resolver knows: every route with its name, and an address of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.urls import URLPattern, URLResolver, get_resolver, reverse

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

# Names in an address that are no ids: which file, which part, which checkpoint, which task.
PARTS: Final[Mapping[str, Any]] = {
    "seq": 1,
    "number": 1,
    "of": "parameters",
    "question": "due",
    "task_type": "demo",
}
PARTS_OF: Final[Mapping[str, Mapping[str, Any]]] = {
    "reconciliation:encrypted": {"of": "input", "number": 0}
}


@dataclass(frozen=True)
class Route:
    """A route by its full name, and the names that its address takes."""

    name: str
    takes: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Of what it takes, what names an object of a tenant or of a person."""
        return tuple(name for name in self.takes if name not in {"tenant", "token", *PARTS})

    def address(self, names: Mapping[str, Any]) -> str:
        """An address of this route. A name without a sample is a KeyError: add one to the world."""
        known = {**names, **PARTS, **PARTS_OF.get(self.name, {})}
        return reverse(self.name, kwargs={name: known[name] for name in self.takes})


def routes() -> list[Route]:
    """Every route of the site; one without a name has the name ""."""
    return _routes(get_resolver("config.urls").url_patterns)


def _routes(
    patterns: list[URLPattern | URLResolver], space: str = "", above: tuple[str, ...] = ()
) -> list[Route]:
    found: list[Route] = []
    for each in patterns:
        # Not its converters: Django shares them between patterns alike, and adds to them later.
        takes = (*above, *each.pattern.regex.groupindex)
        if isinstance(each, URLResolver):
            inner = f"{space}{each.namespace}:" if each.namespace else space
            found += _routes(each.url_patterns, inner, takes)
        else:
            found.append(Route(f"{space}{each.name}" if each.name else "", takes))
    return found
