"""Counts all metrics from the record at the time of the scrape, part by part.

Not in the memory of processes: there are many, they are killed, and what they had counted would be
gone with them. What cannot be counted is left out and said; the other parts are served.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Final

from django.db import DatabaseError, connection, transaction
from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from redis import RedisError

from config.metrics import behaving, installation, recovering, releasing, standing
from config.metrics.tally import MOST_TENANTS, Tally
from tenants.models import Tenant

log = logging.getLogger(__name__)

# A scrape never holds the record up: a part that takes longer is left out.
LIMITS: Final = "SET LOCAL statement_timeout = '3s'"
PARTS: Final[Mapping[str, Callable[[Tally], None]]] = {
    "recoveries": recovering.recoveries,
    "effects": recovering.effects,
    "queue": standing.queue,
    "runs": standing.runs,
    "combos": standing.combos,
    "held": behaving.held,
    "answers": behaving.answers,
    "tokens": behaving.tokens,
    "cases": standing.cases,
    "approvals": standing.approvals,
    "unknown": standing.effects_unknown,
    "doors": standing.doors,
    "stops": standing.stops,
    "releases": releasing.releases,
    "gates": releasing.gates,
    "processes": installation.processes,
    "wakeups": installation.wakeups_queued,
    "record": installation.record,
}
# Those that ask nothing of PostgreSQL: no transaction waits for what does not answer.
ELSEWHERE: Final = ("wakeups",)


class Facts(Collector):
    """Asks the record anew each time. `by_tenant`: see `config.metrics.options`."""

    def __init__(self, *, by_tenant: bool) -> None:
        self._by_tenant = by_tenant

    def collect(self) -> Iterator[Metric]:
        """Everything that can be counted now. Raises DatabaseError when the record is away."""
        slugs = self._slugs() if self._by_tenant else None
        itself = Tally(None)
        for name, part in PARTS.items():
            began = time.monotonic()
            tally = Tally(slugs)
            ok = _counted(name, part, tally)
            itself.add("kedge_scrape_part_ok", int(ok), part=name)
            itself.add("kedge_scrape_part_seconds", time.monotonic() - began, part=name)
            if ok:
                yield from tally.families()
        yield from itself.families()

    def _slugs(self) -> dict[int, str]:
        newest = Tenant.objects.order_by("-pk").values_list("pk", "slug")
        return dict(newest[:MOST_TENANTS])


def _counted(name: str, part: Callable[[Tally], None], tally: Tally) -> bool:
    try:
        with nullcontext() if name in ELSEWHERE else _reading():
            part(tally)
    except (DatabaseError, RedisError, OSError) as error:
        log.warning("metrics of %s were not counted: %s", name, error)
        if name not in ELSEWHERE:
            connection.close()
            connection.ensure_connection()
        return False
    return True


@contextmanager
def _reading() -> Iterator[None]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(LIMITS)
        yield
