"""The second wall: which tenants' rows PostgreSQL shows to the web process, one request at a time.

Migration 0007 has the rules. Where web has no database user of its own they hold for nobody.
"""

import threading
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import DatabaseError, connection

from tenants.database import execute

# For the session, not a transaction: a request is many transactions (no ATOMIC_REQUESTS).
SET: Final = (
    "SELECT set_config('kedge.tenants', %(tenants)s, false),"
    " set_config('kedge.known', %(known)s, false)"
)

# Whether the tables are closed to whoever asks: they are not for the owner, a superuser, or a user
# whom `manage.py roles` lets pass as the worker.
STANDS: Final = """
SELECT count(*) > 0 AND bool_and(row_security_active(closed.polrelid)) AND NOT EXISTS (
           SELECT 1 FROM pg_policy, unnest(polroles) AS passes
            WHERE polname = 'kedge_worker' AND pg_has_role(current_user, passes, 'USAGE'))
  FROM pg_policy AS closed WHERE closed.polname = 'kedge_tenant'
"""


@dataclass(frozen=True)
class View:
    """Ids of the tenants whose rows are shown, and of those that may be known to exist."""

    tenants: frozenset[int]
    known: frozenset[int]


class _Shown(threading.local):
    """What this thread's connection shows now; `by` None: it shows nothing."""

    by: Any = None
    view: View | None = None


_shown = _Shown()


def show(tenants: Collection[int], known: Collection[int]) -> None:
    """From here on show rows of these tenants only; `known` are the person's, to name and choose."""
    view = View(frozenset(tenants), frozenset(known))
    connection.ensure_connection()
    if _shown.by is connection.connection and _shown.view == view:
        return
    # Noted first: whatever becomes of the statement, this connection is cleared afterwards.
    _shown.by, _shown.view = connection.connection, view
    execute(SET, {"tenants": _listed(view.tenants), "known": _listed(view.known)})


def show_nothing() -> View | None:
    """From here on show no tenant's rows; says what was shown. A connection that fails is closed."""
    by, view = _shown.by, _shown.view
    _shown.by = _shown.view = None
    # Another connection than the one noted is new, and shows nothing yet.
    if by is None or by is not connection.connection:
        return view
    try:
        execute(SET, {"tenants": "", "known": ""})
    except DatabaseError:
        connection.close()
    return view


class Stream:
    """The content of an answer that is made while it is sent: shown what its request was shown."""

    def __init__(self, content: Iterable[bytes], view: View) -> None:
        self._content, self._view = content, view

    def __iter__(self) -> Iterator[bytes]:
        show(self._view.tenants, self._view.known)
        yield from self._content
        # Broken off, it ends by `close`: a generator's own end may come while others are answered.
        show_nothing()

    def close(self) -> None:
        """The client has gone, or has everything."""
        show_nothing()


def stands() -> bool:
    """Whether this process' own database user is shown only what it asked to be shown."""
    return bool(execute(STANDS, {})[0][0])


def _listed(ids: frozenset[int]) -> str:
    return ",".join(str(id_) for id_ in sorted(ids))
