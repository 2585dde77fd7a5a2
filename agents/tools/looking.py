"""Where a declaration says that a person can look for an effect by hand: links and sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agents.tools import declaring
from agents.tools.templates import filled_path, filled_text, names_in_text
from reconciliation.tools import Place

Json = Any

ACTION: Final = "$action_id"
TENANT: Final = "$tenant"
GIVEN: Final = frozenset({ACTION, TENANT})


@dataclass(frozen=True)
class Look:
    """One place: templates of its words, and of an address whose server no parameter can change."""

    label: str
    url: str
    note: str

    def names(self) -> set[str]:
        """Whose values stand in it."""
        return {name for text in (self.label, self.url, self.note) for name in names_in_text(text)}


def looks_of(given: Mapping[str, Json]) -> tuple[Look, ...]:
    """The places of a declaration, in its order."""
    return tuple(
        Look(it["label"], it.get("url", ""), it.get("note", "")) for it in given.get("places", ())
    )


def problems(given: Mapping[str, Json], parameters: Mapping[str, Json]) -> Iterator[str]:
    """What keeps a person from looking there, each as a sentence."""
    names = {name for look in looks_of(given) for name in look.names()}
    unknown = names - parameters["properties"].keys() - GIVEN
    if unknown:
        yield f"a place to look at names {', '.join(sorted(unknown))}"
    if names & declaring.sensitive(parameters):
        yield "something sensitive stands in a place to look at"
    yield from declaring.problems_of_texts(parameters, names)


def found(
    looks: Sequence[Look], tenant: str, parameters: Mapping[str, Json], action_id: str
) -> tuple[Place, ...]:
    """The places for one effect. Raises `BadProposal` for a value that can stand in none."""
    values = {**parameters, ACTION: action_id, TENANT: tenant}
    return tuple(
        Place(
            filled_text(look.label, values),
            filled_path(look.url, values),
            filled_text(look.note, values),
        )
        for look in looks
    )
