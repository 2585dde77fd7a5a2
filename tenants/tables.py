"""Whether the tables are those that this code knows: its migrations beside the applied ones.

What the code knows is read once, early: a newer release may be laid over its files while it runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.db import ProgrammingError
from django.db.migrations.loader import MigrationLoader
from psycopg.errors import UndefinedTable

from tenants.database import Rows, execute

KNOWN: Final = "known"
OLDER: Final = "older"  # than the code: a migration is missing
NEWER: Final = "newer"  # than the code: one was applied that it knows nothing of
APPLIED: Final = "SELECT app, name FROM django_migrations"
# Changes whenever a row comes or goes.
MARK: Final = "SELECT count(*), coalesce(max(id), 0) FROM django_migrations"

Migration = tuple[str, str]
Ask = Callable[[str], Rows]


@dataclass(frozen=True)
class Standing:
    """`is_`: KNOWN, OLDER or NEWER. `first`, `count`: of the migrations that are on one side only."""

    is_: str
    first: str = ""
    count: int = 0

    @property
    def sentence(self) -> str:
        """What is wrong and what to do next; "" when nothing is."""
        if self.is_ == OLDER:
            return (
                f"The tables are older than this code: {self.first} is missing ({self.count} in all)."
                " Run `manage.py migrate` and `manage.py roles`."
            )
        if self.is_ == NEWER:
            return (
                f"The tables are newer than this code: it knows nothing of {self.first}"
                f" ({self.count} in all). Start the release that was deployed with them."
            )
        return ""


def standing(ask: Ask = lambda statement: execute(statement, {})) -> Standing:
    """How the tables stand to this code, asked through Django's connection or another.

    Raises the database errors of that connection.
    """
    try:
        mark = ask(MARK)[0]
    except (ProgrammingError, UndefinedTable):  # nothing was ever migrated here
        return _beside(frozenset())
    if _Seen.mark != mark:
        found = _beside(frozenset((app, name) for app, name in ask(APPLIED)))
        _Seen.mark, _Seen.standing = mark, found
    return _Seen.standing


class _Seen:
    """What was found at the last mark, by this process."""

    mark: tuple[int, int] | None = None
    standing = Standing(KNOWN)


def _beside(applied: frozenset[Migration]) -> Standing:
    needed, known = of_this_code()
    for is_, lone in ((NEWER, applied - known), (OLDER, needed - applied)):
        if lone:
            return Standing(is_, ".".join(min(lone)), len(lone))
    return Standing(KNOWN)


@cache
def of_this_code() -> tuple[frozenset[Migration], frozenset[Migration]]:
    """The migrations that this code needs; and those it knows, with what its squashed ones replace."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    needed = frozenset(loader.disk_migrations or {})
    replaced = {
        old for each in (loader.disk_migrations or {}).values() for old in each.replaces or ()
    }
    return needed, needed | frozenset(replaced)
