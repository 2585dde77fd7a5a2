"""What else a person can do about a case, beside a verdict: links to pages of floors above.

Each path in settings.CASE_OFFERS names a function that takes the case and the rights of who looks,
and gives its links: editing the state, migrating by hand, going on in a fork.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.utils.functional import Promise
from django.utils.module_loading import import_string

from checkpoints.models import Case


@dataclass(frozen=True)
class Offered:
    """One link: its words, what follows, and where it leads."""

    label: str | Promise
    follows: str | Promise
    url: str


Offers = Callable[[Case, frozenset[str]], Iterable[Offered]]


def of(case: Case, may: frozenset[str]) -> Iterator[Offered]:
    """All that the floors above offer for this case."""
    for path in settings.CASE_OFFERS:
        offers: Offers = import_string(path)
        yield from offers(case, may)
