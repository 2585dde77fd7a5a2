"""Keeps the lease of the run a horse works on, on a connection and a thread of its own.

The connection is opened after the fork and holds the holder's session lock, which PostgreSQL
drops with it: that is how others see a horse die (rule 7). Each renewal moves the kernel timer's
lease limit, counted from before the statement was sent; a horse that cannot renew is ended by it.
"""

import logging
import threading
from types import TracebackType
from uuid import UUID

import psycopg
from django.db import connection

from checkpoints.commits import Lease
from checkpoints.leases import RENEW, session_lock_key
from checkpoints.timers import SelfStop, boot_seconds

log = logging.getLogger(__name__)

LEASE_END = "lease end"


class Keeper:
    """Context manager for a horse's life. `lost` says that nothing new may be begun."""

    def __init__(self, holder: UUID, self_stop: SelfStop) -> None:
        self._holder = holder
        self._self_stop = self_stop
        self._lease: Lease | None = None
        self._change = threading.Condition()
        self._ended = False
        self._lost = False
        self._thread = threading.Thread(target=self._keep, name="lease keeper", daemon=True)

    @property
    def lost(self) -> bool:
        return self._lost

    @property
    def cut_off(self) -> bool:
        """Whether the connection, and with it the session lock, is gone for good."""
        return self._connection.closed

    def __enter__(self) -> "Keeper":
        parameters = connection.get_connection_params()
        parameters.pop("cursor_factory", None)
        parameters.pop("context", None)
        self._connection = psycopg.connect(**parameters, autocommit=True)
        locked = self._connection.execute(
            "SELECT pg_try_advisory_lock(%s)", [session_lock_key(self._holder)]
        ).fetchone()
        if locked != (True,):
            self._connection.close()
            raise RuntimeError(f"holder {self._holder} is taken")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._change:
            self._ended = True
            self._change.notify()
        self._thread.join()
        self._connection.close()

    def hold(self, lease: Lease, *, asked_at: float) -> None:
        """Renew this lease from now on. `asked_at`: boot seconds before it was acquired."""
        self._self_stop.limit(LEASE_END, asked_at + lease.ttl_seconds)
        with self._change:
            self._lease, self._lost = lease, False

    def drop(self) -> None:
        """The lease was let go."""
        with self._change:
            self._lease = None
        self._self_stop.lift(LEASE_END)

    def _keep(self) -> None:
        while True:
            with self._change:
                lease = self._lease
                if self._ended:
                    return
                self._change.wait(timeout=(lease.ttl_seconds if lease else 1.0) / 4)
                self._renew_held()

    def _renew_held(self) -> None:
        if self._lease is not None and not self._ended and not self._renewed(self._lease):
            self._lost = True

    def _renewed(self, lease: Lease) -> bool:
        values = {
            "run": lease.run_id,
            "fence": lease.fence,
            "holder": lease.holder,
            "ttl": lease.ttl_seconds,
        }
        asked_at = boot_seconds()
        try:
            rows = self._connection.execute(RENEW, values).fetchall()
        except psycopg.Error as error:
            log.warning("lease not renewed: %s", error, extra={"run": str(lease.run_id)})
            return False
        if rows:
            self._self_stop.limit(LEASE_END, asked_at + lease.ttl_seconds)
        return bool(rows)
