"""The kinds of plan there are, by name: one small module each."""

from typing import Final

from execution.plans.errors import PlanRefusedError
from execution.plans.kinds import (
    asking,
    cancelling,
    following,
    looking,
    rehearsals,
    renewing,
    reporting,
    ruling,
    trying,
    undoing,
)
from execution.plans.kinds.contract import Kind

KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        trying.KIND,
        ruling.KIND,
        looking.KIND,
        reporting.KIND,
        renewing.KIND,
        asking.KIND,
        undoing.KIND,
        following.KIND,
        cancelling.KIND,
        rehearsals.REHEARSE,
        rehearsals.RELEASE,
    )
}


def kind_of(name: str) -> Kind:
    """The kind of this name. Raises `PlanRefusedError`."""
    try:
        return KINDS[name]
    except KeyError:
        raise PlanRefusedError(f"there is no kind of plan {name!r}") from None
