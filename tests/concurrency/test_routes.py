"""Rule 21: a start and a move of its route never cross."""

from collections.abc import Iterator
from functools import partial

import pytest
from django.db import transaction

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Combo, Route, Run
from checkpoints.registry import combo_of
from tenants.actors import Actor
from tests.approvals.racing import beside
from tests.checkpoints.combos import another, free_routes
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def candidate(engine: Bench) -> Combo:
    made = another("steps", "the new prompt")
    Route.objects.create(tenant=engine.tenant, task_type="steps", stable=combo_of("steps"))
    return made


@pytest.fixture(autouse=True)
def routes_without_releases() -> Iterator[None]:
    with free_routes():
        yield


def start(engine: Bench, key: str = "k") -> Run:
    request = Request("steps", key, {}, channel="test", critical=False)
    return runs.start(engine.tenant, request, actor=Actor.machine("test"))[0]


def taken_by(candidate: Combo) -> int:
    """Send all of it to the candidate, and count its runs then: as a roll back enumerates."""
    with transaction.atomic():
        route = Route.objects.select_for_update().get()
        before = Run.objects.count()
        Route.objects.filter(pk=route.pk).update(candidate=candidate, salt="s", share=10_000)
    return before


def test_rule_21_a_start_waits_for_the_move_and_follows_it(engine: Bench, candidate: Combo) -> None:
    with beside() as side:
        with transaction.atomic():
            taken_by(candidate)
            starting = side.start_and_block(partial(start, engine))
        assert starting.result().combo == candidate


def test_rule_21_a_move_waits_for_a_start_and_sees_its_run(engine: Bench, candidate: Combo) -> None:
    with beside() as side:
        with transaction.atomic():
            run = start(engine)
            moving = side.start_and_block(partial(taken_by, candidate))
        assert moving.result() == 1
    assert run.combo == combo_of("steps")


def test_two_starts_do_not_wait_for_each_other(engine: Bench, candidate: Combo) -> None:
    start(engine, "the first of the installation writes who it is")
    with beside() as side, transaction.atomic():
        start(engine)
        assert side.start(partial(start, engine, "another")).result(timeout=60).combo_id
