"""Forking in the browser: the preview first, then the button; and who may."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from checkpoints.graph import Proposal
from checkpoints.models import Case, Checkpoint, Fork, Run
from reconciliation.models import Action
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution.forks.ways import done, forked, held
from tests.execution.graphs import acting
from tests.execution.pages.visits import at, page_of, signed_in, words
from tests.execution.runs import full, waiting
from tests.people import ada, bob, cy, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


def posted(page: Any, **changes: str) -> dict[str, Any]:
    """What the form of a page would post."""
    content = page.content.decode()
    form = content[content.index('<form class="form"') :]
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    found: dict[str, Any] = {name: value for name, value in hidden if name != "again"}
    found["again"] = [value for name, value in hidden if name == "again"]
    return found | {"reason": "try it on the new code"} | changes


def test_the_preview_says_what_would_happen_and_the_button_does_it(
    engine: Bench, operator: Client
) -> None:
    source = done(engine)
    url = page_of(engine, source, "fork/")
    page = operator.get(url + "?seq=2&chosen=on")
    said = words(page)
    assert "Fork from checkpoint 2: 0 effects sent again, 1 is reused." in said
    assert "Reused, not sent: 1 effect write a-0" in said
    answer = operator.post(url, posted(page))
    made = Fork.objects.get()
    assert answer["Location"] == page_of(engine, made.run)
    assert (made.seq, made.reason, made.made_by) == (2, "try it on the new code", "Ada")
    assert operator.post(url, posted(page))["Location"] == answer["Location"]
    assert Fork.objects.count() == 1
    assert "Forked from checkpoint 2 of another run" in words(operator.get(answer["Location"]))
    assert "Forked from its checkpoint 2" in words(operator.get(page_of(engine, source)))
    engine.turn()
    told = words(operator.get(answer["Location"]))
    assert "Taken over from others, not sent again write a-0" in told
    assert "Took over: nothing is sent" in told


def test_what_moved_in_between_is_refused_and_shown(engine: Bench, operator: Client) -> None:
    source = done(engine)
    url = page_of(engine, source, "fork/")
    page = operator.get(url + "?seq=2&chosen=on")
    forked(engine, source, 2)
    answer = operator.post(url, posted(page))
    assert answer.status_code == 409
    assert "Something moved since this page was made" in words(answer)
    assert "try it on the new code" in answer.content.decode()
    assert Fork.objects.count() == 1
    assert operator.post(url, posted(answer)).status_code == 302
    assert Fork.objects.count() == 2


def test_a_reason_is_asked_for(engine: Bench, operator: Client) -> None:
    url = page_of(engine, done(engine), "fork/")
    answer = operator.post(url, posted(operator.get(url + "?seq=2"), reason=" "))
    assert answer.status_code == 422
    assert "This field is required." in words(answer)
    assert not Fork.objects.exists()


def test_a_damaged_checkpoint_is_shown_with_the_reason_and_cannot_be_chosen(
    engine: Bench, operator: Client
) -> None:
    source = done(engine)
    with by_force():
        Checkpoint.objects.filter(run_id=source.id, seq=3).update(state=b"{}")
    page = operator.get(page_of(engine, source, "fork/") + "?seq=3")
    assert "It is not what was committed" in words(page)
    assert 'value="3" disabled' in page.content.decode()
    assert "No checkpoint to begin from" in words(page)


def test_a_run_at_work_says_why_it_cannot_be_forked(engine: Bench, operator: Client) -> None:
    said = words(operator.get(page_of(engine, waiting(engine), "fork/")))
    assert "Only a run that has ended or is on hold is forked." in said


def test_what_a_held_run_has_not_sent_is_withdrawn_unless_one_says_otherwise(
    engine: Bench, operator: Client
) -> None:
    source = held(waiting(engine))
    url = page_of(engine, source, "fork/")
    assert "Needs an approval first: 1 effect write a-0" in words(operator.get(url + "?seq=2"))
    left = operator.get(url + "?seq=2&chosen=on")
    assert "Waited for: 1 effect of another run write a-0" in words(left)
    operator.post(url, posted(operator.get(url + "?seq=2")))
    assert Action.objects.get().because == "withdrawn"
    assert full(source).status == "held"


def test_an_effect_to_be_done_again_is_chosen_and_then_asked(
    engine: Bench, operator: Client
) -> None:
    source = done(engine)
    url, effect = page_of(engine, source, "fork/"), Action.objects.get().pk
    page = operator.get(url + f"?seq=2&chosen=on&again={effect}")
    assert "It happened already and is done again on purpose" in words(page)
    operator.post(url, posted(page))
    assert Fork.objects.get().again == [str(effect)]


def test_a_case_of_two_proposals_shows_both_to_who_may_read_them(
    engine: Bench, operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch)
    source = engine.start("odd")
    engine.turn()
    engine.decide(source)
    engine.turn()
    acting(monkeypatch, propose=lambda *_: Proposal("fake.void", {"what": "other"}))
    run = forked(engine, source, 0)
    engine.turn()
    case = Case.objects.get(run=run)
    page = words(signed_in(engine.approver).get(at(engine, f"cases/{case.pk}/")))
    assert "Compare both proposals" in page
    assert '"other"' not in page
    url = at(engine, f"cases/{case.pk}/proposals/")
    assert '/what "a-0" "other"' in words(signed_in(engine.approver).get(url))
    assert signed_in(bob(engine.tenant)).get(url).status_code == 403
    assert "Fork the run" in words(operator.get(at(engine, f"cases/{case.pk}/")))


def test_only_operators_of_the_tenant_fork(engine: Bench) -> None:
    source = done(engine)
    url = page_of(engine, source, "fork/")
    for who, status in ((bob(engine.tenant), 403), (cy(), 404), (ada(make_tenant("other")), 404)):
        client = signed_in(who)
        if who == engine.starter:
            continue
        assert client.get(url).status_code == status
        assert client.post(url, {"reason": "x"}).status_code == status
    assert not Fork.objects.exists()


def test_a_run_of_another_tenant_is_not_there(engine: Bench, operator: Client) -> None:
    other = make_tenant("other")
    source = done(engine)
    ada(other)
    assert operator.get(f"/t/other/runs/{source.id}/fork/").status_code == 404
    assert operator.get(at(engine, f"runs/{uuid4()}/fork/")).status_code == 404


def test_the_run_page_offers_it_once_the_run_is_over_or_on_hold(
    engine: Bench, operator: Client
) -> None:
    run = waiting(engine)
    assert "Fork this run" not in words(operator.get(page_of(engine, run)))
    assert "Fork this run" in words(operator.get(page_of(engine, held(run))))
    assert Run.objects.count() == 1
