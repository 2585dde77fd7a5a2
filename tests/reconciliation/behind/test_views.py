"""The pages of the record: what is apart, what it lacks, who sees it, and settling by POST."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reconciliation import journal
from reconciliation.behind import comparing
from reconciliation.behind.models import MissingLine
from tests.engine.turns import Bench
from tests.people import bob, make_tenant
from tests.reconciliation.behind.restores import begin, lost, to_the_end
from tests.reconciliation.deskwork import signed_in


@pytest.fixture
def line(engine: Bench) -> MissingLine:
    """A run that the record has lost whole."""
    with lost():
        to_the_end(engine, begin(engine))
    comparing.compare()
    return MissingLine.objects.get()


@pytest.fixture
def client(engine: Bench) -> Client:
    return signed_in(engine.starter)


def test_a_record_that_is_whole_says_so(engine: Bench, client: Client) -> None:
    comparing.compare()
    page = client.get("/record/").content.decode()
    assert "Record and world are together" in page
    page = client.get(f"/t/{engine.tenant.slug}/record/").content.decode()
    assert "The record lacks nothing" in page


def test_what_it_lacks_is_listed_and_what_keeps_the_stop(
    engine: Bench, client: Client, line: MissingLine
) -> None:
    page = client.get("/record/").content.decode()
    assert "The journal has effects that this record lacks." in page
    assert "lacks and nobody has settled: 1" in page
    assert "1 effect, 1 open" in page
    page = client.get(f"/t/{engine.tenant.slug}/record/").content.decode()
    for said in ("fake.void", "world/a-0", "the whole run", "not asked yet", str(line.run_id)):
        assert said in page


def test_a_person_settles_it_by_post_with_a_reason(
    engine: Bench, client: Client, line: MissingLine
) -> None:
    address = f"/t/{engine.tenant.slug}/record/{line.pk}/"
    assert client.post(address, {"became": "happened", "reason": ""}).status_code == 422
    assert client.get(address).status_code == 405
    assert client.post(address, {"became": "happened", "reason": "There."}).status_code == 302
    line.refresh_from_db()
    assert (line.became, line.settled_by, line.reason) == ("happened", engine.starter, "There.")
    page = client.get("/record/").content.decode()
    assert "Nothing is open any more." in page


def test_nobody_of_another_tenant_sees_or_settles_it(line: MissingLine) -> None:
    other = make_tenant("other")
    stranger = signed_in(bob(other))
    assert "fake.void" not in stranger.get("/record/").content.decode()
    answer = stranger.post(f"/t/other/record/{line.pk}/", {"became": "happened", "reason": "x"})
    assert answer.status_code in (403, 404)
    assert MissingLine.objects.get().became == ""


def test_a_long_list_asks_no_more_than_a_short_one(
    engine: Bench, client: Client, line: MissingLine
) -> None:
    address, asked = f"/t/{engine.tenant.slug}/record/", []
    client.get(address)
    for more in (1, 6):
        for _ in range(more):
            fields = {**line.line, "attempt": str(uuid4()), "action": str(uuid4())}
            journal.room().add(fields)
        comparing.compare()
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).content.decode().count(str(line.run_id)) >= more
        asked.append(len(queries))
    assert asked[0] == asked[1]
