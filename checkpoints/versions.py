"""What a combo says, for the nodes of the runs that are pinned to it: prompts, rules, model, settings.

Pure. A combo never moves, so what it says is read once and kept by its bytes: no step asks for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Protocol

from canonical import json as canonical
from checkpoints.errors import NotInComboError

Json = Any

MOST_KEPT: Final = 64
MAPPINGS: Final = ("prompts", "settings", "versions", "tools", "state_schemas")
AT: Final = " at "  # between the name of a model and the host that answers for it


class Pinned(Protocol):
    """A row of combo."""

    manifest: Any


@dataclass(frozen=True)
class Versions:
    """The texts and versions of one combo. Read-only: every run of it shares them."""

    task_type: str = ""
    model: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    rules: Json = None
    settings: Mapping[str, Json] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, Json] = field(default_factory=dict)
    # The number of the state schema that its code reads; None of a combo that says nothing of it.
    state_schema: int | None = None
    state_schemas: Mapping[str, Json] = field(default_factory=dict)
    # From which state schema to which its code can bring a state.
    migrators: frozenset[tuple[int, int]] = frozenset()

    def prompt(self, name: str) -> str:
        """The prompt of this name. Raises `NotInComboError`."""
        try:
            return self.prompts[name]
        except KeyError:
            known = ", ".join(sorted(self.prompts)) or "none"
            raise NotInComboError(f"it has no prompt {name!r}; it has: {known}") from None

    @property
    def model_name(self) -> str:
        """The model by the name that its host knows; "" for the one that a process is set up for."""
        return self.model.rpartition(AT)[0]

    @property
    def model_host(self) -> str:
        """Who answers for the model: a host, or the stand-in."""
        return self.model.rpartition(AT)[2]


def of(combo: Pinned) -> Versions:
    """What a combo says."""
    return of_manifest(bytes(combo.manifest))


@lru_cache(maxsize=MOST_KEPT)
def of_manifest(manifest: bytes) -> Versions:
    """What a manifest says; it names what it does not have as nothing. Raises `ValueError`."""
    said = canonical.loads_object(manifest)
    return Versions(
        task_type=str(said.get("task_type", "")),
        model=str(said.get("model", "")),
        rules=said.get("rules"),
        state_schema=said.get("state_schema"),
        migrators=frozenset((int(old), int(new)) for old, new in said.get("migrators") or ()),
        **{name: _mapping(said, name) for name in MAPPINGS},
    )


def _mapping(said: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    return MappingProxyType(dict(said.get(name) or {}))
