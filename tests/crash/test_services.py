"""The services of the matrix as its oracle reads them, past every tool."""

import json
import urllib.request
import uuid
from collections.abc import Iterator

import pytest

from tests.contract.http_worlds import ANN, asked
from tests.crash import services
from tests.crash.services import KEYED, VOID

ORDER = {"key": "5e", "order": "o-1", "amount": 7}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where the services are is nobody's business after the test."""
    for name in ("KEDGE_TEST_RESTATE", "KEDGE_TEST_KINTO", "KEDGE_TEST_KINTO_LOGIN"):
        monkeypatch.setenv(name, "")
    yield
    services._open.clear()


def pay(address: str, order: dict[str, object], key: str) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    content = json.dumps(order).encode()
    request = urllib.request.Request(f"{address}/Refunds/pay", content, headers, method="POST")
    urllib.request.urlopen(request, timeout=30).close()


def test_what_is_paid_under_two_keys_counts_twice_and_under_one_once() -> None:
    address = services.begin(KEYED).values["KEDGE_TEST_RESTATE"]
    mine = {**ORDER, "order": f"o-{uuid.uuid4().hex}"}
    for key in ("one", "one", "two"):
        pay(address, mine, f"{key} {mine['order']}")
    pay(address, ORDER, uuid.uuid4().hex)
    assert list(services.refunds(KEYED, str(mine["order"]))) == [("5e", 7)] * 2


def test_every_record_of_the_order_counts_and_a_tombstone_does_not() -> None:
    bucket = services.begin(VOID).values["KEDGE_TEST_KINTO"]
    for given in (ORDER, ORDER, {**ORDER, "order": "o-2"}, {"kind": "void", "action": "a"}):
        asked("POST", f"{bucket}/collections/refunds/records", ANN, {"data": given})
    assert list(services.refunds(VOID, "o-1")) == [("5e", 7)] * 2
