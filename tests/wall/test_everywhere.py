"""A stop of everything meets the calls of every tenant, though it is set on the page of one."""

from typing import Any

import pytest

from checkpoints.models import CallOut, Lifting, Stop
from tests.engine.turns import Bench
from tests.execution.pages.test_operating_views import unknown
from tests.execution.pages.visits import at, proved_in, signed_in, words
from tests.people import ada, bob, dee, eve, make_tenant
from tests.wall.role import answering_as_web

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("web_user")]


@pytest.fixture
def both(engine: Bench) -> Bench:
    """A call of unknown outcome at each of the two tenants; Ada and Eve operate both."""
    other = make_tenant("other")
    elsewhere = Bench(other, ada(other), dee(other), engine.world)
    for bench in (engine, elsewhere):
        unknown(bench)
    eve(engine.tenant, other)
    return engine


def stop_everything(bench: Bench) -> Any:
    form = {"where": "everywhere", "lock": "effects", "reason": "incident"}
    with answering_as_web():
        return signed_in(bench.starter).post(at(bench, "stop/"), form, follow=True)


def test_a_stop_of_everything_writes_down_the_calls_of_all_tenants(both: Bench) -> None:
    said = words(stop_everything(both))
    assert "2 calls were out when it came" in said
    assert CallOut.objects.values("tenant").distinct().count() == 2
    assert Stop.objects.get().reconciled_at is None


def test_people_of_one_tenant_are_shown_what_is_theirs(both: Bench) -> None:
    stop_everything(both)
    with answering_as_web():
        said = words(signed_in(bob(both.tenant)).get(at(both, "stop/")))
    assert "1 call was out when it came" in said


def test_two_people_of_every_tenant_lift_it(both: Bench) -> None:
    stop_everything(both)
    stop = Stop.objects.get()
    url = at(both, f"stop/{stop.pk}/lifting/")
    given = {f"lift-{stop.pk}-reason": "all is well", f"lift-{stop.pk}-pace": "30"}
    with answering_as_web():
        assert proved_in(both.starter).post(url, given).status_code == 302
        confirmation = f"{url}{Lifting.objects.get().pk}/confirmation/"
        assert proved_in(eve()).post(confirmation).status_code == 302
    stop.refresh_from_db()
    assert stop.lifted_at is not None
