"""The list of runs and the form that starts one: what they show, and what they keep."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Run
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, signed_in, words
from tests.people import bob, make_tenant

URL = "runs/"


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


def test_an_empty_list_offers_to_start_a_run(engine: Bench, operator: Client) -> None:
    page = operator.get(at(engine, URL))
    assert "0 runs" in words(page)
    assert "Nothing here yet" in words(page)
    assert at(engine, "runs/start/") in page.content.decode()
    viewer = signed_in(bob(engine.tenant)).get(at(engine, URL))
    assert at(engine, "runs/start/") not in viewer.content.decode()


def test_the_count_is_the_title_and_each_status_has_its_own(
    engine: Bench, operator: Client
) -> None:
    engine.start(steps=1)
    engine.turn()
    engine.start(steps=1)
    page = operator.get(at(engine, URL))
    said = words(page)
    assert "2 runs" in said
    assert "Succeeded 1" in said
    assert "Queued 1" in said
    narrowed = words(operator.get(at(engine, "runs/?status=succeeded")))
    assert "1 run Succeeded" in narrowed
    assert "Hidden by your filter: 1 run, 0 on hold." in narrowed


def test_what_a_filter_hides_is_said_where_nothing_matches(engine: Bench, operator: Client) -> None:
    engine.start(steps=1)
    said = words(operator.get(at(engine, "runs/?status=failed")))
    assert "Nothing matches these filters" in said
    assert "1 run is hidden by your filter, 0 on hold." in said


@pytest.mark.parametrize(
    "query",
    ["status=nonsense", "window=9d", "before=x", "task_type=gone", "after=1", "text=" + "x" * 999],
)
def test_a_filter_that_cannot_be_read_is_as_if_not_given(
    engine: Bench, operator: Client, query: str
) -> None:
    run = engine.start(steps=1)
    assert run.business_key in words(operator.get(at(engine, f"runs/?{query}")))


def test_pages_follow_each_other_by_key(
    engine: Bench, operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checkpoints.pages.runlist.ROWS", 2)
    started = [engine.start(steps=1) for _ in range(5)]
    first = operator.get(at(engine, URL)).content.decode()
    assert f"before={started[3].id}" in first
    assert 'rel="prev"' not in first
    second = operator.get(at(engine, f"runs/?before={started[3].id}")).content.decode()
    assert all(run.business_key in second for run in started[1:3])
    assert f"after={started[2].id}" in second
    third = operator.get(at(engine, f"runs/?before={started[1].id}")).content.decode()
    assert started[0].business_key in third
    assert 'rel="next"' not in third
    back = operator.get(at(engine, f"runs/?after={started[0].id}")).content.decode()
    assert all(run.business_key in back for run in started[1:3])
    assert started[3].business_key not in back


def test_rows_cost_the_same_for_one_run_and_for_thirty(
    engine: Bench, operator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    engine.start(steps=1)
    with django_assert_max_num_queries(20) as few:
        operator.get(at(engine, URL))
    for _ in range(29):
        engine.start(steps=1)
    with django_assert_max_num_queries(len(few.captured_queries)):
        page = operator.get(at(engine, URL))
    assert "30 runs" in words(page)


def test_new_runs_are_a_button_and_move_no_row(engine: Bench, operator: Client) -> None:
    first = engine.start(steps=1)
    url = at(engine, f"runs/new/?newest={first.id}")
    assert "new run" not in words(operator.get(url))
    engine.start(steps=1)
    engine.start(steps=1)
    page = operator.get(url)
    assert "2 new runs" in words(page)
    assert f'href="{at(engine, URL)}?"' in page.content.decode()
    assert "new run" not in words(operator.get(url + "&status=failed"))
    assert "<html" not in page.content.decode()


def test_visible_rows_are_patched_in_place_until_all_have_ended(
    engine: Bench, operator: Client
) -> None:
    older, newer = engine.start(steps=1), engine.start(steps=1)
    url = at(engine, f"runs/visible/?id={newer.id}&id={older.id}&id=nonsense")
    page = operator.get(url)
    assert page.status_code == 200
    text = page.content.decode()
    assert text.index(newer.business_key) < text.index(older.business_key)
    engine.turn()
    engine.turn()
    assert operator.get(url).status_code == 286


def test_visible_rows_are_of_one_tenant_only(engine: Bench, operator: Client) -> None:
    elsewhere = make_tenant("elsewhere")
    run = engine.start(steps=1)
    Run.objects.filter(pk=run.pk).update(tenant=elsewhere)
    page = operator.get(at(engine, f"runs/visible/?id={run.id}"))
    assert run.business_key not in page.content.decode()


def test_starting_a_run_goes_to_its_page_and_twice_is_once(engine: Bench, operator: Client) -> None:
    form = {"task_type": "steps", "business_key": "k-1", "input": '{"steps": 1}'}
    first = operator.post(at(engine, "runs/start/"), form)
    second = operator.post(at(engine, "runs/start/"), form, follow=True)
    run = Run.objects.get()
    assert first.headers["Location"] == at(engine, f"runs/{run.id}/")
    assert (run.channel, run.caller, run.started_by) == ("console", "Ada", engine.starter)
    assert "exists already; this is it" in words(second)


def test_a_run_is_critical_unless_its_starter_says_otherwise(
    engine: Bench, operator: Client
) -> None:
    form = {"task_type": "steps", "input": "{}"}
    operator.post(at(engine, "runs/start/"), form | {"business_key": "a"})
    operator.post(at(engine, "runs/start/"), form | {"business_key": "b", "goes_first": "yes"})
    assert dict(Run.objects.values_list("business_key", "critical")) == {"a": True, "b": False}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"input": '{"a": 1, "a": 2}'}, "is a key that appears twice"),
        ({"input": '{"a": 9007199254740993}'}, "/a"),
        ({"input": "[1]"}, "does not fit at /"),
        ({"input": "{"}, "not strict JSON"),
        ({"input": '{"a": "\\ud800"}'}, "/a"),
        ({"task_type": "gone"}, "Select a valid choice"),
        ({"business_key": " "}, "This field is required"),
        ({"business_key": "x" * 201}, "at most 200"),
    ],
)
def test_a_refused_start_names_the_place_and_keeps_what_was_typed(
    engine: Bench, operator: Client, change: dict[str, str], says: str
) -> None:
    form = {"task_type": "steps", "business_key": "my key", "input": '{"steps": 1}'} | change
    answer = operator.post(at(engine, "runs/start/"), form)
    assert answer.status_code == 422
    assert says in words(answer)
    if "business_key" not in change:
        assert 'value="my key"' in answer.content.decode()
    assert not Run.objects.exists()


def test_a_key_with_another_input_is_refused_beside_the_key(
    engine: Bench, operator: Client
) -> None:
    form = {"task_type": "steps", "business_key": "k", "input": '{"steps": 1}'}
    operator.post(at(engine, "runs/start/"), form)
    answer = operator.post(at(engine, "runs/start/"), form | {"input": '{"steps": 2}'})
    assert answer.status_code == 422
    assert "has another input" in words(answer)
    assert Run.objects.count() == 1


def test_another_like_it_takes_over_the_input_but_not_the_key(
    engine: Bench, operator: Client
) -> None:
    run = engine.start(steps=7)
    page = operator.get(at(engine, f"runs/start/?like={run.id}")).content.decode()
    assert "&quot;steps&quot;: 7" in page
    assert run.business_key not in page
    for unknown in ("nonsense", "00000000-0000-7000-8000-000000000000"):
        assert operator.get(at(engine, f"runs/start/?like={unknown}")).status_code == 200
