"""Ways to break the product on purpose, in every worker and sweeper: a story must fail of each."""

from collections.abc import Callable
from typing import Any

from execution import sweeper as sweeping
from reconciliation.behind import comparing, enlisting
from reconciliation.journal import belonging

Mutant = Callable[[], None]


def _nothing(*args: object, **options: object) -> Any:
    return None


def _none(*args: object, **options: object) -> int:
    return 0


def never_compare() -> None:
    """Nobody reads the journal against the record: effects that are there are sent again."""
    comparing.at_start = _nothing
    sweeping.DUTIES["compare the journal"] = _none


def list_half() -> None:
    """Every second line that the record lacks is not listed."""
    original = enlisting.enlist

    def enlist(divergence: Any, line: Any, *, by: Any) -> Any:
        return original(divergence, line, by=by) if line.seq % 2 else None

    enlisting.enlist = enlist


def believe_any_server() -> None:
    """Another server, another timeline and another journal are all the record's own."""
    belonging.apart = lambda *_: []


MUTANTS: dict[str, Mutant] = {
    each.__name__: each
    for each in (
        never_compare,
        list_half,
        believe_any_server,
    )
}
