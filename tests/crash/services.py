"""HTTP services that others wrote, for the matrix: which keeps keys, and which can rule an effect out.

Both are reached through declarations alone; what they have is read past every tool.
"""

import json
import os
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.contract.http_worlds import ANN, asked
from tests.servers import running

KEYED, VOID = "restate_refund", "kinto_refund"
Seen = Callable[[], list[dict[str, Any]]]


@dataclass(frozen=True)
class Service:
    """One that answers: what its tool's declaration names in the environment, and all it has."""

    values: Mapping[str, str]
    seen: Seen


def _restate() -> Service:
    server = running.restate()
    values = {"KEDGE_TEST_RESTATE": f"http://127.0.0.1:{server.port}"}
    return Service(
        values, lambda: [json.loads(file.read_bytes()) for file in server.effects.iterdir()]
    )


def _kinto() -> Service:
    bucket = f"http://127.0.0.1:{running.kinto()}/v1/buckets/b{uuid.uuid4().hex}"
    refunds = f"{bucket}/collections/refunds"
    for path in (bucket, refunds):
        asked("PUT", path, ANN)
    values = {"KEDGE_TEST_KINTO": bucket, "KEDGE_TEST_KINTO_LOGIN": ANN}
    return Service(values, lambda: list(asked("GET", f"{refunds}/records", ANN)["data"]))


_BEGIN: Mapping[str, Callable[[], Service]] = {KEYED: _restate, VOID: _kinto}
# Of this process and the lanes that are forked from it.
_open: dict[str, Service] = {}


def begin(tool: str) -> Service:
    """Start the service of this tool, and tell this process and its children where it is."""
    found = _open[tool] = _BEGIN[tool]()
    os.environ.update(found.values)
    return found


@contextmanager
def opening(tools: Collection[str]) -> Iterator[None]:
    """The same for all of these; they end with the block."""
    if not tools:
        yield
        return
    try:
        for tool in tools:
            begin(tool)
        yield
    finally:
        _open.clear()
        running.stop()


def refunds(tool: str, order: str) -> Iterator[tuple[str, int]]:
    """Ledger key and amount of every refund of this order that the service has."""
    for each in _open[tool].seen():
        if each.get("order") == order:
            yield each["key"], each["amount"]
