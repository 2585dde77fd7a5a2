"""The pages of one run: what they say, whom they let read payloads, what polls answer."""

import pytest
from pytest_django import DjangoAssertNumQueries

from checkpoints import runs
from checkpoints.models import Run
from tenants.access import grant
from tenants.actors import Actor
from tests.checkpoints.tampering import change_the_state
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.people import bob, dee


@pytest.fixture
def ended(engine: Bench) -> Run:
    run = engine.start(steps=5, secret="hush")
    engine.turn()
    run.refresh_from_db()
    return run


def test_a_run_says_why_it_is_here_and_groups_its_nodes(engine: Bench, ended: Run) -> None:
    said = words(signed_in(engine.starter).get(page_of(engine, ended)))
    assert "Succeeded" in said
    assert "It is over: nothing more is sent for it." in said
    assert "count \u00d75" in said
    assert "checkpoints 2 to 6" in said
    assert "hush" in said


def test_payloads_are_for_those_who_may_read_them(engine: Bench, ended: Run) -> None:
    viewer = signed_in(bob(engine.tenant))
    for rest in ("", "checkpoints/3/", "checkpoints/", "log/", "timeline/"):
        page = viewer.get(page_of(engine, ended, rest))
        assert page.status_code == 200
        assert "hush" not in page.content.decode()
        assert "You may not see this" in page.content.decode() or rest not in ("", "checkpoints/3/")
    reader = signed_in(engine.starter)
    assert '"at": 2' in words(reader.get(page_of(engine, ended, "checkpoints/3/")))


def test_a_checkpoint_is_read_back_before_it_is_shown(engine: Bench, ended: Run) -> None:
    url, reader = page_of(engine, ended, "checkpoints/3/"), signed_in(engine.starter)
    assert "everything it names are what was committed" in words(reader.get(url))
    change_the_state(ended, 3)
    said = words(reader.get(url))
    assert "What was read back is not what was committed" in said
    assert "the state is not what the header says" in said


def test_two_checkpoints_are_compared_with_who_changed_what(engine: Bench, ended: Run) -> None:
    reader = signed_in(engine.starter)
    said = words(reader.get(page_of(engine, ended, "difference/?old=6&new=7")))
    assert "/thought" in said
    assert "think (#7)" in said
    assert "5 steps" in said
    backwards = words(reader.get(page_of(engine, ended, "difference/?old=7&new=6")))
    assert "Checkpoint 6 to checkpoint 7" in backwards


@pytest.mark.parametrize("query", ["", "?old=1", "?old=x&new=2", "?old=0&new=99", "?old=-1&new=2"])
def test_checkpoints_that_do_not_exist_cannot_be_compared(
    engine: Bench, ended: Run, query: str
) -> None:
    answer = signed_in(engine.starter).get(page_of(engine, ended, f"difference/{query}"))
    assert answer.status_code == 422


@pytest.mark.parametrize("seq", ["0", "99"])
def test_a_checkpoint_that_does_not_exist_is_not_found(engine: Bench, ended: Run, seq: str) -> None:
    answer = signed_in(engine.starter).get(page_of(engine, ended, f"checkpoints/{seq}/"))
    assert answer.status_code == 404


def test_a_poll_says_when_something_changed_and_stops_when_it_is_over(engine: Bench) -> None:
    run, person = engine.start(steps=2), signed_in(engine.starter)
    url = page_of(engine, run, "standing/")
    first = person.get(url, headers={"hx-request": "true"})
    assert (first.status_code, first.headers["HX-Trigger"]) == (200, "run-changed")
    seen = first.content.decode().split("seen=")[1].split('"')[0]
    again = person.get(f"{url}?seen={seen}")
    assert "HX-Trigger" not in again.headers
    engine.turn()
    last = person.get(f"{url}?seen={seen}")
    assert (last.status_code, last.headers["HX-Trigger"]) == (286, "run-changed")
    assert "hx-get" not in last.content.decode()


def test_a_fragment_has_no_shell(engine: Bench, ended: Run) -> None:
    page = signed_in(engine.starter).get(page_of(engine, ended, "timeline/")).content.decode()
    assert "<html" not in page
    assert "count \u00d75" in page


@pytest.mark.parametrize("rest", ["", "standing/", "timeline/", "checkpoints/", "log/"])
def test_a_long_run_costs_no_more_queries_than_a_short_one(
    engine: Bench, rest: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    short, long = engine.start(steps=1), engine.start(steps=60)
    engine.turn()
    engine.turn()
    person = signed_in(engine.starter)
    with django_assert_max_num_queries(40) as few:
        person.get(page_of(engine, short, rest))
    with django_assert_max_num_queries(len(few.captured_queries)):
        person.get(page_of(engine, long, rest))


def test_a_long_history_goes_on_under_its_own_address(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("execution.pages.timeline.MOST_STEPS", 4)
    monkeypatch.setattr("checkpoints.pages.history.ROWS", 4)
    run, person = engine.start(steps=8), signed_in(engine.starter)
    engine.turn()
    newest = person.get(page_of(engine, run))
    assert "?before=7" in newest.content.decode()
    assert "look" not in words(newest).split("Timeline newest last")[1].split("What it is")[0]
    older = words(person.get(page_of(engine, run, "?before=3")))
    assert "before checkpoint 3" in older
    assert "look" in older
    assert "Started" in older
    listed = person.get(page_of(engine, run, "checkpoints/")).content.decode()
    assert "?before=7" in listed


def test_the_log_shows_audit_rows_only_to_those_who_may_audit(engine: Bench, ended: Run) -> None:
    url = page_of(engine, ended, "log/")
    said = words(signed_in(engine.starter).get(url))
    assert "Started" in said
    assert "takes the right to audit" in said
    auditor = dee(engine.tenant)
    grant(engine.tenant, auditor, "audit")
    assert f"started run {ended.id}" in words(signed_in(auditor).get(url))


def test_an_old_run_offers_another_like_it_and_a_live_one_its_end(
    engine: Bench, ended: Run
) -> None:
    person = signed_in(engine.starter)
    assert f"runs/start/?like={ended.id}" in person.get(page_of(engine, ended)).content.decode()
    live = engine.start(steps=2)
    assert "cancellation/" in person.get(page_of(engine, live)).content.decode()
    runs.request_cancel(live.id, why="a test", actor=Actor.person(engine.starter))
    assert "Ada asked to cancel it already." in words(person.get(page_of(engine, live)))
    viewer = signed_in(bob(engine.tenant)).get(page_of(engine, live))
    assert "cancellation/" not in viewer.content.decode()
