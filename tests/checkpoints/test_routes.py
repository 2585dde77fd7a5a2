"""Which combo a new run gets, and what a route cannot say."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError

from checkpoints import arms, routes, runs
from checkpoints.asked import Request
from checkpoints.models import Combo, Route, Run
from checkpoints.registry import combo_of
from tenants.actors import Actor
from tests.checkpoints.combos import another, free_routes
from tests.engine.turns import Bench
from tests.people import make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def routes_without_releases() -> Iterator[None]:
    with free_routes():
        yield


def start(bench: Bench, key: str, *, critical: bool = True) -> Run:
    request = Request("steps", key, {}, channel="test", critical=critical)
    return runs.start(bench.tenant, request, actor=Actor.machine("test"))[0]


@pytest.fixture
def candidate(engine: Bench) -> Combo:
    return another("steps", "the new prompt")


def route(bench: Bench, candidate: Combo | None, **shares: Any) -> Route:
    return Route.objects.create(
        tenant=bench.tenant,
        task_type="steps",
        stable=combo_of("steps"),
        candidate=candidate,
        salt="salt",
        **shares,
    )


def test_without_a_route_a_run_gets_what_the_code_makes(engine: Bench) -> None:
    assert start(engine, "k").combo == combo_of("steps")


def test_a_route_is_for_its_tenant_and_task_alone(engine: Bench, candidate: Combo) -> None:
    other = make_tenant("other")
    Route.objects.create(tenant=other, task_type="steps", stable=candidate)
    assert start(engine, "k").combo == combo_of("steps")
    assert routes.choose(other, "steps", "k", critical=True) == candidate


def test_a_canary_takes_its_share_and_leaves_what_is_critical(
    engine: Bench, candidate: Combo
) -> None:
    standing = route(engine, candidate, share=3_000)
    keys = [f"k{n}" for n in range(60)]
    got = {key: start(engine, key, critical=False).combo for key in keys}
    assert got == {
        key: candidate if arms.takes("salt", key, share=3_000) else standing.stable for key in keys
    }
    assert len(set(got.values())) == 2
    assert {start(engine, f"c{n}").combo for n in range(60)} == {standing.stable}


def test_critical_runs_follow_when_they_have_a_share(engine: Bench, candidate: Combo) -> None:
    standing = route(engine, candidate, share=10_000, share_of_critical=2_500)
    for key in (f"k{n}" for n in range(40)):
        assert routes.arm(standing, key, critical=False) == candidate
        taken = arms.takes("salt", key, share=2_500)
        assert routes.arm(standing, key, critical=True) == (candidate if taken else standing.stable)


def test_nobody_said_so_is_critical(engine: Bench) -> None:
    assert start(engine, "k").critical
    assert not start(engine, "n", critical=False).critical


def test_the_same_key_is_the_same_run_also_when_its_arm_has_moved(
    engine: Bench, candidate: Combo
) -> None:
    standing = route(engine, candidate)
    before = start(engine, "k", critical=False)
    Route.objects.filter(pk=standing.pk).update(share=10_000)
    assert start(engine, "k", critical=False) == before
    assert before.combo == standing.stable


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"share": 10_001}, "critical_runs_go_last"),
        ({"share": 1, "share_of_critical": 2}, "critical_runs_go_last"),
        ({"share_of_critical": -1}, "critical_runs_go_last"),
        ({"share": 1, "salt": ""}, "a_share_is_of_a_candidate_and_its_salt"),
        ({"share": 1, "candidate": None}, "a_share_is_of_a_candidate_and_its_salt"),
        ({"task_type": "strict"}, "a_route_is_among_combos_of_its_task"),
    ],
)
def test_the_database_refuses_a_route_that_makes_no_sense(
    engine: Bench, candidate: Combo, change: dict[str, Any], rule: str
) -> None:
    standing = route(engine, candidate)
    with pytest.raises(IntegrityError, match=rule):
        Route.objects.filter(pk=standing.pk).update(**change)


def test_a_candidate_is_another_combo_of_the_task(engine: Bench) -> None:
    with pytest.raises(IntegrityError, match="a_candidate_is_not_the_stable_combo"):
        route(engine, combo_of("steps"))


def test_a_candidate_of_another_task_is_refused(engine: Bench) -> None:
    with pytest.raises(IntegrityError, match="a_route_is_among_combos_of_its_task"):
        route(engine, combo_of("strict"))


def test_a_salt_stays_while_its_canary_runs(engine: Bench, candidate: Combo) -> None:
    standing = route(engine, candidate, share=1)
    with pytest.raises(IntegrityError, match="a_key_stays_in_its_arm"):
        Route.objects.filter(pk=standing.pk).update(salt="another")
