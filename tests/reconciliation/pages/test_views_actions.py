"""The panel of a run's actions and the page of one action."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Run
from reconciliation.models import Action
from tests.engine.turns import Bench
from tests.people import ada, bob, cy, make_tenant
from tests.reconciliation.deskwork import signed_in, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


def sent(engine: Bench, tool: str = "fake.void") -> Run:
    run = engine.start(tool=tool, what="a")
    engine.turn()
    engine.decide(run)
    engine.turn()
    return run


def page_of(action: Action) -> str:
    return f"/t/{action.tenant.slug}/actions/{action.pk}/"


def panel_of(run: Run) -> str:
    return f"/t/{run.tenant.slug}/runs/{run.pk}/actions/"


def test_an_action_that_happened_shows_attempt_receipt_and_approval(engine: Bench) -> None:
    action = Action.objects.get(run=sent(engine))
    html = signed_in(engine.starter).get(page_of(action)).content.decode()
    for told in (
        "It happened: the tool answered so.",
        "Attempt 1",
        "Receipt: the tool&#x27;s answer",
        "the approval, with what was shown",
        bytes(action.key).hex(),
        "/action",
        "Idempotency key",
    ):
        assert told in html
    assert "tone-unknown" not in html.split('id="content"')[1]
    assert "hx-get" not in html.split('id="content"')[1]


def test_a_lost_answer_tells_who_was_asked_and_that_nothing_was_sent_again(engine: Bench) -> None:
    run = engine.start(tool="fake.look_up", what="a")
    engine.turn()
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    html = signed_in(engine.starter).get(page_of(Action.objects.get(run=run))).content.decode()
    assert "so Kedge asked the tool, and it has the effect. Nothing was sent again." in html
    assert "What the tool said when it was asked" in html
    assert "It is there." in html


def test_an_unknown_outcome_is_violet_and_leads_to_its_case(engine: Bench) -> None:
    case = unknown_mail(engine)
    action = Action.objects.get(run=case.run)
    html = signed_in(engine.starter).get(page_of(action)).content.decode()
    assert "It was sent, and nobody knows what it did." in html
    assert "tone-unknown" in html
    assert f"/cases/{case.pk}/" in html
    panel = signed_in(engine.starter).get(panel_of(case.run)).content.decode()
    assert "Outcome unknown" in panel


def test_contents_are_for_those_who_may_read_them(engine: Bench) -> None:
    action = Action.objects.get(run=sent(engine))
    html = signed_in(bob(engine.tenant)).get(page_of(action)).content.decode()
    assert "Shown to people with the right to read payloads." in html
    assert "Its content is shown to people with the right to read payloads." in html
    assert "&quot;a-0&quot;" not in html


def test_the_panel_is_a_page_and_a_fragment_that_asks_no_more_when_final(engine: Bench) -> None:
    run = sent(engine)
    client = signed_in(engine.starter)
    assert "<html" in client.get(panel_of(run)).content.decode()
    answer = client.get(panel_of(run), headers={"HX-Request": "true"})
    fragment = answer.content.decode()
    assert answer["Vary"].count("HX-Request") == 1
    assert re.match(r"\s*<section[^>]* id=\"run-actions\"", fragment)
    assert "hx-get" not in fragment


def test_a_run_without_effects_says_so(engine: Bench) -> None:
    run = engine.start(steps=2)
    html = signed_in(engine.starter).get(panel_of(run)).content.decode()
    assert "This run has asked nothing of the world so far." in html


def test_the_fragment_of_an_action_stops_its_poll_when_it_is_settled(engine: Bench) -> None:
    action = Action.objects.get(run=sent(engine))
    answer = signed_in(engine.starter).get(page_of(action), headers={"HX-Request": "true"})
    assert answer.status_code == 286
    assert "<html" not in answer.content.decode()


def test_strangers_and_visitors_learn_nothing(engine: Bench) -> None:
    run = sent(engine)
    action = Action.objects.get(run=run)
    other = make_tenant("other")
    for url in (page_of(action), panel_of(run)):
        assert signed_in(cy()).get(url).status_code == 404
        assert Client().get(url).status_code == 302
        there = url.replace(f"/t/{engine.tenant.slug}/", "/t/other/")
        assert signed_in(ada(other)).get(there).status_code == 404


def test_more_effects_cost_no_more_queries(engine: Bench) -> None:
    first, many = sent(engine), engine.start(tool="fake.void", what="b")
    engine.turn()
    for _round in range(4):
        engine.decide(many, "send_back", "again")
        engine.turn()
    client = signed_in(engine.starter)
    counts = [_queries(client, panel_of(run)) for run in (first, many)]
    assert counts[0] == counts[1]


def _queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(url).status_code == 200
    return len(captured)
