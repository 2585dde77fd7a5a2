"""The pages of plans: what they say, what they post, and what they refuse."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from execution.plans import states
from execution.plans.models import Plan, PlanItem
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, signed_in, words
from tests.execution.plans.held import carried, held, planned, started, unknown
from tests.people import ada, bob, eve, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(engine: Bench) -> Client:
    return signed_in(engine.starter)


def new(engine: Bench, *ids: Any, **more: str) -> str:
    query = "&".join([*(f"id={id_}" for id_ in ids), *(f"{k}={v}" for k, v in more.items())])
    return at(engine, f"plans/new/?from=runs&{query}")


def test_ticked_runs_become_a_plan_that_says_what_would_happen(
    engine: Bench, client: Client
) -> None:
    over = held(engine, 2)
    page = client.get(new(engine, *(run.pk for run in over)))
    assert "A plan for 2 chosen runs" in words(page)
    form = {"what": "try_again", "reason": "repaired", "per_minute": "600"}
    answer = client.post(new(engine, *(run.pk for run in over)), form)
    assert (answer.status_code, answer["Location"]) == (302, at(engine, "plans/1/"))
    said = words(client.get(answer["Location"]))
    assert "P-1 Try again" in said
    assert "Try 2 runs again" in said
    assert "Sent again: 0 effects that did not happen" in said
    assert Plan.objects.get().why == "repaired"


def test_the_button_starts_exactly_what_the_page_shows(engine: Bench, client: Client) -> None:
    plan = planned(engine, held(engine))
    stale = client.post(at(engine, "plans/1/start/"), {"digest": "0" * 64})
    assert stale.status_code == 409
    answer = client.post(at(engine, "plans/1/start/"), {"digest": plan.digest, "per_minute": "60"})
    assert answer.status_code == 302
    plan.refresh_from_db()
    assert (plan.state, plan.per_minute, plan.started_by) == ("started", 60, engine.starter)
    assert "Stop before 1 run" in words(client.get(at(engine, "plans/1/")))


def test_above_the_limit_the_page_asks_for_the_number(
    engine: Bench, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "TYPED_ABOVE", 1)
    plan = planned(engine, held(engine, 2))
    assert "Type 2 to go ahead" in words(client.get(at(engine, "plans/1/")))
    answer = client.post(at(engine, "plans/1/start/"), {"digest": plan.digest, "typed": "3"})
    assert answer.status_code == 422
    assert "Type how many it is: 2." in words(answer)
    client.post(at(engine, "plans/1/start/"), {"digest": plan.digest, "typed": "2"})
    assert Plan.objects.get().state == "started"


def test_stop_go_on_and_discard(engine: Bench, client: Client) -> None:
    plan = started(planned(engine, held(engine, 2)), engine.starter)
    client.post(at(engine, "plans/1/stop/"))
    assert "Stopped by Ada." in words(client.get(at(engine, "plans/1/")))
    client.post(at(engine, "plans/1/start/"), {"digest": plan.digest})
    client.post(at(engine, "plans/1/stop/"))
    client.post(at(engine, "plans/1/discard/"))
    page = words(client.get(at(engine, "plans/1/")))
    assert "2 runs were left as they were." in page
    assert "Nothing more: it is over" in page


def test_exclusions_say_why(engine: Bench, client: Client) -> None:
    (run,) = held(engine)
    planned(engine, [run])
    planned(engine, [*unknown(engine), run], user=eve(engine.tenant))
    page = words(client.get(at(engine, "plans/2/")))
    assert "in another plan" in page
    assert "In plan P-1 by Ada." in page
    assert "effect unknown: blocks" in page
    assert "Nothing is left to do in it." in page


def test_items_are_listed_page_by_page_and_by_result(
    engine: Bench, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("execution.plans.pages.telling.ROWS", 2)
    first, *_ = over = held(engine, 3)
    plan = planned(engine, over)
    page = client.get(at(engine, "plans/1/items/"))
    assert page.content.decode().count("row-link") == 2
    assert "after=2" in page.content.decode()
    rest = client.get(at(engine, "plans/1/items/?after=2"))
    assert rest.content.decode().count("row-link") == 1
    carried(started(plan, engine.starter))
    PlanItem.objects.filter(run=first).update(state="done")
    done = client.get(at(engine, "plans/1/items/?result=done"))
    assert str(first.pk) in done.content.decode()
    assert "Nothing matches" in words(client.get(at(engine, "plans/1/items/?result=failed")))


def test_an_empty_choice_and_an_empty_filter_are_no_plan(engine: Bench, client: Client) -> None:
    held(engine)
    for query in ("", "?from=runs", "?from=filter", "?from=filter&window=all", "?from=nowhere"):
        answer = client.get(at(engine, f"plans/new/{query}"))
        assert answer.status_code == 409
        assert "an empty filter is never a plan" in words(answer)
    assert client.post(at(engine, "plans/new/?from=filter"), {"what": "cancel"}).status_code == 409


def test_a_filter_becomes_its_exact_runs(engine: Bench, client: Client) -> None:
    over = held(engine, 2)
    engine.start(tool="fake.void", what="b")
    list_page = client.get(at(engine, "runs/?status=held")).content.decode()
    assert "plans/new/?status=held&amp;from=filter" in list_page
    assert "plans/new/?" not in client.get(at(engine, "runs/")).content.decode()
    form = {"what": "try_again", "reason": "repaired", "per_minute": "600"}
    client.post(at(engine, "plans/new/?from=filter&status=held"), form)
    assert set(PlanItem.objects.values_list("run_id", flat=True)) == {run.pk for run in over}


def test_a_ticked_run_of_another_tenant_is_not_found(engine: Bench, client: Client) -> None:
    (run,) = held(engine)
    assert client.get(new(engine, run.pk, uuid4())).status_code == 404
    assert client.get(new(engine, "nonsense")).status_code == 404
    other = make_tenant("other")
    ada(other)
    assert client.get(f"/t/{other.slug}/plans/new/?from=runs&id={run.pk}").status_code == 404


def test_a_foreign_plan_is_not_found(engine: Bench, client: Client) -> None:
    planned(engine, held(engine))
    other = make_tenant("other")
    ada(other)
    for rest in ("", "items/", "progress/"):
        assert client.get(f"/t/{other.slug}/plans/1/{rest}").status_code == 404
    assert client.post(f"/t/{other.slug}/plans/1/start/").status_code == 404


def test_who_may_only_look_sees_who_may_act(engine: Bench) -> None:
    planned(engine, held(engine))
    looking = signed_in(bob(engine.tenant))
    page = words(looking.get(at(engine, "plans/1/")))
    assert "Ada" in page
    assert "Try 1 run again" not in page
    assert looking.post(at(engine, "plans/1/start/")).status_code == 403
    assert "Choose" not in words(looking.get(at(engine, "runs/")))


def test_the_progress_stops_asking_when_nothing_moves_any_more(
    engine: Bench, client: Client
) -> None:
    plan = planned(engine, held(engine))
    address = at(engine, "plans/1/progress/?state=started")
    assert client.get(address)["HX-Refresh"] == "true"
    carried(started(plan, engine.starter))
    final = at(engine, "plans/1/progress/?state=finished")
    assert client.get(final).status_code == 200
    PlanItem.objects.update(state="done")
    assert client.get(final).status_code == 286


def test_the_verdict_of_a_plan_takes_its_evidence(engine: Bench, client: Client) -> None:
    over = unknown(engine, 2)
    address = new(engine, *(run.pk for run in over))
    assert "Nobody can know: write it off" in words(client.get(address))
    form = {"what": "verdict:it_happened", "reason": "seen", "per_minute": "600"}
    client.post(address, {**form, "evidence": ""})
    assert Plan.objects.get(number=1).left_out == 2
    client.post(at(engine, "plans/1/discard/"))
    client.post(address, {**form, "evidence": "all in the sent folder"})
    plan = Plan.objects.get(number=2)
    assert (plan.planned, plan.terms["verdict"]) == (2, "it_happened")
    assert "all in the sent folder" in words(client.get(at(engine, "plans/2/")))


def test_a_form_without_a_choice_keeps_what_was_typed(engine: Bench, client: Client) -> None:
    (run,) = held(engine)
    answer = client.post(new(engine, run.pk), {"reason": "kept words", "per_minute": "0"})
    assert answer.status_code == 422
    assert "kept words" in answer.content.decode()
    assert not Plan.objects.exists()


def test_the_list_names_each_plan_and_reads_a_bounded_number_of_times(
    engine: Bench, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    planned(engine, held(engine))
    planned(engine, held(engine))
    with django_assert_max_num_queries(20):
        page = words(client.get(at(engine, "plans/")))
    assert "P-2 Try again" in page
    assert "P-1 Try again" in page


def test_cases_of_one_kind_become_a_plan_from_the_inbox(engine: Bench, client: Client) -> None:
    over = held(engine, 2)
    unknown(engine)
    inbox = client.get(at(engine, "inbox/?kind=world_changed")).content.decode()
    assert "plans/new/?from=cases&amp;kind_of_case=world_changed" in inbox
    assert "plans/new/" not in client.get(at(engine, "inbox/")).content.decode()
    looking = signed_in(bob(engine.tenant)).get(at(engine, "inbox/?kind=world_changed"))
    assert "plans/new/" not in looking.content.decode()
    address = at(engine, "plans/new/?from=cases&kind_of_case=world_changed&kind=cancel")
    page = client.get(address)
    assert "A plan for 2 cases of one kind" in words(page)
    text = page.content.decode()
    assert text.index('value="cancel"') < text.index('value="try_again"')
    client.post(address, {"what": "cancel", "reason": "not worth it", "per_minute": "600"})
    assert set(PlanItem.objects.values_list("run_id", flat=True)) == {run.pk for run in over}
