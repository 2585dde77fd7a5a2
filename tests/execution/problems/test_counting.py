"""How many problems are open at each tenant: the same as each tenant's own home says."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from checkpoints.models import Run
from execution.problems import changing, counting, overview, sorting
from execution.problems.changing import Snooze
from execution.problems.models import Problem
from tenants import clock
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.execution.problems.making import combo, failed, held, moved, retrying
from tests.people import ada, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)
State = Callable[[Bench], None]


def put_off(engine: Bench) -> None:
    held(engine)
    change(engine, Snooze(until=clock.now() + timedelta(hours=1)))


def put_off_to_a_rate(engine: Bench) -> None:
    held(engine)
    change(engine, Snooze(rate=1))


def above_the_rate(engine: Bench) -> None:
    put_off_to_a_rate(engine)
    held(engine)


def woken(engine: Bench) -> None:
    put_off(engine)
    changing.wake(problem(engine), reason="now", user=engine.starter)


def resolved(engine: Bench) -> None:
    run = failed(engine)
    own = Run.objects.select_related("combo").get(pk=run.pk).combo
    changing.resolve(problem(engine), own, reason="mended", user=engine.starter)


def failed_again(engine: Bench) -> None:
    resolved(engine)
    failed(engine)


def failed_elsewhere(engine: Bench) -> None:
    resolved(engine)
    moved(failed(engine), combo("other"))


def two_problems(engine: Bench) -> None:
    held(engine)
    held(engine)
    retrying(engine)


def problem(engine: Bench) -> Problem:
    sorting.sort()
    return Problem.objects.get(tenant=engine.tenant)


def change(engine: Bench, how: Snooze) -> None:
    changing.snooze(problem(engine), how, reason="later", user=engine.starter)


@pytest.mark.parametrize(
    ("state", "n"),
    [
        (put_off, 0),
        (put_off_to_a_rate, 0),
        (above_the_rate, 1),
        (woken, 1),
        (resolved, 0),
        (failed_again, 1),
        (failed_elsewhere, 1),
        (two_problems, 2),
    ],
)
def test_the_count_is_that_of_the_tenants_home(engine: Bench, state: State, n: int) -> None:
    state(engine)
    sorting.sort()
    other = make_tenant("other")
    counts = counting.open_counts([engine.tenant.pk, other.pk])
    assert counts.get(engine.tenant.pk, 0) == n
    assert other.pk not in counts
    home = overview.overview(engine.tenant, overview.standings(engine.tenant))
    assert len(home.lines) == n


def test_the_page_of_all_tenants_leads_to_the_problems_of_each(engine: Bench) -> None:
    two_problems(engine)
    sorting.sort()
    person = ada(engine.tenant, make_tenant("other"))
    page = signed_in(person).get("/")
    assert "Open problems" in words(page)
    assert f'<a href="/t/{engine.tenant.slug}/problems/">2</a>' in page.content.decode()


def test_counts_are_of_the_tenants_that_are_asked_for(engine: Bench) -> None:
    two_problems(engine)
    sorting.sort()
    assert counting.open_counts([make_tenant("other").pk]) == {}
    assert counting.open_counts([]) == {}
