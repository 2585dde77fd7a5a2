"""The page of recoveries: what is counted, per stretch of time, and what stands behind a point."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from canonical import digests
from checkpoints.models import Combo, Recovery, Run
from execution.recoveries import reading
from execution.recoveries.charts import HEIGHT, WIDTH, Value, chart
from execution.recoveries.wanted import Wanted
from tenants.models import Tenant
from tests import people
from tests.approvals.questions import make_run

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 29, 12, 30, tzinfo=UTC)
TODAY = NOW.replace(hour=0, minute=0)


@pytest.fixture
def tenant() -> Tenant:
    return people.make_tenant()


def recovery(
    run: Run, hours_ago: float, ended: str = "recovered", took: float = 1.0, fence: int = 1
) -> Recovery:
    """One that was noticed then and ended like that after so many seconds."""
    at = NOW - timedelta(hours=hours_ago)
    made = Recovery.objects.create(run=run, why="its worker is gone", interrupted_fence=fence)
    over = at + timedelta(seconds=took)
    Recovery.objects.filter(pk=made.pk).update(
        noticed_at=at,
        taken_over_at=at + timedelta(seconds=took / 2),
        new_boundary_at=over if ended == "recovered" else None,
        ended=ended,
        ended_at=over if ended else None,
    )
    return made


def run(tenant: Tenant, key: str, **more: object) -> Run:
    return make_run(tenant, business_key=key, **more)


def test_each_stretch_counts_what_began_in_it(tenant: Tenant) -> None:
    recovery(run(tenant, "a"), 1, took=1)
    recovery(run(tenant, "b"), 2, took=3)
    recovery(run(tenant, "c"), 3, "by_person")
    recovery(run(tenant, "d"), 4, "")
    recovery(run(tenant, "e"), 30, took=9)
    series = reading.buckets(tenant, Wanted(), now=NOW)
    assert len(series) == 30
    today, yesterday = series[-1], series[-2]
    assert (today.at, today.begun, today.recovered, today.by_person, today.under_way) == (
        *(TODAY, 4, 2, 1, 1),
    )
    assert (today.p50, today.p95, today.taken_over) == (2.0, 2.9, 1.0)
    assert (yesterday.begun, yesterday.p50) == (1, 9.0)
    assert (series[0].begun, series[0].p50) == (0, None)
    total = reading.total(tenant, Wanted(), now=NOW)
    assert (total.begun, total.recovered, total.p50) == (5, 3, 3.0)


def test_a_recovery_that_was_interrupted_counts_as_the_one_after(tenant: Tenant) -> None:
    it = run(tenant, "a")
    recovery(it, 2, "interrupted")
    recovery(it, 1, took=5, fence=2)
    total = reading.total(tenant, Wanted(), now=NOW)
    assert (total.begun, total.recovered) == (1, 1)
    assert len(reading.behind(tenant, Wanted(), now=NOW)) == 1


def test_hours_are_counted_apart_and_a_point_lists_its_own(tenant: Tenant) -> None:
    first, second = recovery(run(tenant, "a"), 1), recovery(run(tenant, "b"), 5)
    series = reading.buckets(tenant, Wanted(per="hour"), now=NOW)
    assert [each.begun for each in series if each.begun] == [1, 1]
    assert len(series) == 48
    at = next(each.at for each in series if each.begun)
    assert [each.pk for each in reading.behind(tenant, Wanted("hour", at=at), now=NOW)] == [
        second.pk
    ]
    listed = reading.behind(tenant, Wanted("hour"), now=NOW)
    assert {each.pk for each in listed} == {first.pk, second.pk}


def test_a_filter_asks_for_a_task_type_and_a_combo(tenant: Tenant) -> None:
    it = run(tenant, "a")
    recovery(it, 1)
    digest = bytes(it.combo.digest).hex()
    other = "0" if digest[0] != "0" else "1"
    for wanted, begun in (
        (Wanted(task_type=it.task_type), 1),
        (Wanted(task_type="another"), 0),
        (Wanted(combo=digest[:6]), 1),
        (Wanted(combo=other), 0),
    ):
        assert reading.total(tenant, wanted, now=NOW).begun == begun
        assert len(reading.behind(tenant, wanted, now=NOW)) == begun


def test_a_point_lists_its_own_behind_many_of_another_combo(tenant: Tenant) -> None:
    it = run(tenant, "a")
    mine = recovery(it, 1)
    manifest = b'{"task":"demo","prompts":{}}'
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    combo = Combo.objects.create(task_type=it.task_type, manifest=manifest, digest=digest)
    other = run(tenant, "b", combo=combo)
    for fence in range(1, 4 * reading.ROWS + 2):
        recovery(other, 1, fence=fence)
    wanted = Wanted(combo=it.combo.hex, at=TODAY)
    assert [each.pk for each in reading.behind(tenant, wanted, now=NOW)] == [mine.pk]
    every = reading.behind(tenant, Wanted(combo=other.combo.hex, at=TODAY), now=NOW)
    assert [each.interrupted_fence for each in every][:2] == [201, 200]
    assert len(every) == reading.ROWS


def test_another_tenants_recoveries_are_not_there(tenant: Tenant) -> None:
    recovery(run(people.make_tenant("other"), "a"), 1)
    assert reading.total(tenant, Wanted(), now=NOW).begun == 0
    assert list(reading.behind(tenant, Wanted(), now=NOW)) == []


def test_the_page_draws_what_it_counts(tenant: Tenant) -> None:
    it = run(tenant, "key-of-a")
    Recovery.objects.create(run=it, why="its worker is gone", interrupted_fence=1)
    client = Client()
    client.force_login(people.bob(tenant))
    where = reverse("recoveries", args=[tenant.slug])
    page = client.get(where)
    text = page.content.decode()
    assert text.count("<rect") == 3 * 30 * 3
    assert "key-of-a" in text
    assert "found none" in text
    [bar] = [bar for bar in page.context["counted"].bars if bar.url]
    assert "key-of-a" in client.get(where + bar.url).content.decode()
    assert client.get(where, {"per": "x", "at": "yesterday", "combo": "!"}).status_code == 200
    assert client.get(where, {"at": "9999-12-31T23:00:00+00:00"}).status_code == 200


def test_an_empty_page_says_so(tenant: Tenant) -> None:
    client = Client()
    client.force_login(people.bob(tenant))
    text = client.get(reverse("recoveries", args=[tenant.slug])).content.decode()
    assert "Nothing was interrupted or sent twice in this time" in text
    assert '<svg class="chart"' not in text


def test_bars_have_one_measure_and_what_is_not_nothing_can_be_seen() -> None:
    drawn = chart([Value(100, 50, "a", "?"), Value(0.001, 0, "b", ""), Value(None, None, "c", "")])
    first, second, third = drawn.bars
    assert (first.height, first.part_height, first.y) == (HEIGHT, HEIGHT / 2, 0)
    assert (second.height, second.part_height) == (1.0, 0)
    assert third.height == 0
    assert third.x + third.width <= WIDTH
    assert chart([]).bars == []
