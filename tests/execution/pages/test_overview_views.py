"""Home, all tenants, search: counts that are right, one hit that is gone to, bounded queries."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints import runs
from checkpoints.models import Run
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import hiding
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, page_of, signed_in, words
from tests.people import ada, cy, dee, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


def held(engine: Bench) -> Run:
    run = engine.start(steps=1, tool="fake.nothing", what="mail")
    engine.turn()
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    return run


def test_an_empty_tenant_is_told_apart_from_a_calm_one(engine: Bench, operator: Client) -> None:
    said = words(operator.get(at(engine)))
    assert "Nobody has started a run here yet." in said
    assert "Nobody has to do anything" in said
    assert "nothing was interrupted" in said


def test_home_shows_what_needs_a_person_and_groups_alike_troubles(
    engine: Bench, operator: Client
) -> None:
    held(engine)
    held(engine)
    engine.start(steps=1, tool="fake.void", what="push")
    engine.turn()
    said = words(operator.get(at(engine)))
    assert "Would change something outside: approve or reject 1" in said
    assert "Outcome unknown 2" in said
    assert said.count("was sent and no answer came") == 1


def test_home_tells_a_recovery_and_counts_it(engine: Bench, operator: Client) -> None:
    run = engine.start(steps=2)
    lease = engine.acquire()
    why = "its worker was killed by signal 9"
    runs.lapse(run.id, fence=lease.fence, why=hiding.text(why), actor=Actor.machine("worker"))
    engine.turn()
    said = words(operator.get(at(engine)))
    assert "Its worker was killed by signal 9 at" in said
    assert "nothing was sent again" in said
    assert "100 % 1 of 1 begun" in said


def test_home_costs_the_same_for_one_run_and_for_many(
    engine: Bench, operator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    held(engine)
    with django_assert_max_num_queries(40) as few:
        operator.get(at(engine))
    for _ in range(2):  # five in a row would close the door of the tool
        held(engine)
    with django_assert_max_num_queries(len(few.captured_queries)):
        operator.get(at(engine))


def test_across_tenants_there_are_counts_only(engine: Bench) -> None:
    other = make_tenant("other")
    held(engine)
    person = ada(engine.tenant, other)
    page = signed_in(person).get("/")
    said = words(page)
    assert "Other" in said
    assert "notice" not in said
    assert "mail" not in said
    assert signed_in(dee(engine.tenant)).get("/").headers["Location"] == at(engine)
    assert "You belong to no tenant" in words(signed_in(cy()).get("/"))


def test_all_tenants_cost_the_same_for_two_and_for_ten(
    engine: Bench, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    person = signed_in(ada(make_tenant("two")))
    with django_assert_max_num_queries(20) as few:
        person.get("/")
    ada(*(make_tenant(f"more-{n}") for n in range(8)))
    with django_assert_max_num_queries(len(few.captured_queries)):
        person.get("/")


def test_a_whole_id_key_or_target_goes_straight_there(engine: Bench, operator: Client) -> None:
    run = engine.start(steps=1, tool="fake.void", what="push")
    engine.turn()
    action = Action.objects.get(run=run)
    for text in (str(run.id), run.business_key, f" {run.id} ".upper()):
        answer = operator.get(at(engine, "search/"), {"q": text})
        assert answer.headers["Location"] == page_of(engine, run)
    for text in (str(action.id), action.target):
        answer = operator.get(at(engine, "search/"), {"q": text})
        assert str(action.id) in answer.headers["Location"]


def test_the_beginning_of_a_key_or_target_lists_what_begins_so(
    engine: Bench, operator: Client
) -> None:
    run = engine.start(steps=1, tool="fake.void", what="push")
    engine.turn()
    by_key = words(operator.get(at(engine, "search/"), {"q": run.business_key[:9]}))
    assert run.business_key in by_key
    by_target = words(operator.get(at(engine, "search/"), {"q": "world/pu"}))
    assert "write push-0" in by_target


@pytest.mark.parametrize("text", ["", "zzz", "%", "_", "'; drop table", "\\", "x" * 900, "\u202e"])
def test_what_finds_nothing_says_so(engine: Bench, operator: Client, text: str) -> None:
    engine.start(steps=1)
    answer = operator.get(at(engine, "search/"), {"q": text})
    assert answer.status_code == 200
    assert "Nothing of this tenant" in words(answer) or not text


def test_a_nul_finds_nothing_either(engine: Bench, operator: Client) -> None:
    assert operator.get(at(engine, "search/"), {"q": "a\0b"}).status_code == 404


def test_nothing_of_another_tenant_is_found(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.void", what="push")
    engine.turn()
    action = Action.objects.get(run=run)
    person = signed_in(ada(make_tenant("elsewhere")))
    whole = (str(run.id), run.business_key, str(action.id), action.target)
    for text in (*whole, run.business_key[:6], "world/"):
        assert "Nothing of this tenant" in words(person.get("/t/elsewhere/search/", {"q": text}))
