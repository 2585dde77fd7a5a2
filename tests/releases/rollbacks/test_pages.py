"""The pages of a rollback, as the web process' own database user answers them."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from approvals.pages import wording
from releases import beginning
from releases.beginning import Candidate
from releases.gates import standing
from releases.models import Release
from releases.pages import showing
from releases.rollbacks import carrying, leaving, phases
from releases.rollbacks.models import Rollback
from tests.checkpoints.combos import another
from tests.engine import registry
from tests.people import bob
from tests.releases.rollbacks.rolling import Rolling
from tests.wall.role import answering_as_web

pytestmark = pytest.mark.django_db


def client_of(rolling: Rolling, who: str = "ada") -> Client:
    client = Client()
    client.force_login(getattr(rolling.traffic, who))
    return client


def planned(client: Client, base: str) -> Rollback:
    """By the pages alone: from the release to a plan that nobody has ordered."""
    assert "Roll back…" in client.get(f"{base}releases/1/").content.decode()
    page = client.get(f"{base}releases/1/rollback/").content.decode()
    assert "1 question or approval is withdrawn" in page
    assert "1 effect happened" in page
    given = {"why": "it pays twice", "others": "go_on", "forward_only": "wait"}
    asked = client.post(f"{base}releases/1/rollback/", given)
    assert asked.status_code == 302, asked.content.decode()
    assert "Roll back now" in client.get(f"{base}rollbacks/1/").content.decode()
    return Rollback.objects.get()


def ordered(client: Client, base: str, rollback: Rollback) -> None:
    """Started by exactly its digest; paused, and let go on."""
    wrong = client.post(f"{base}start/", {"digest": "0" * 64})
    assert (wrong.status_code, "load the page again" in wrong.content.decode()) == (422, True)
    assert client.post(f"{base}start/", {"digest": rollback.digest}).status_code == 302
    assert client.post(f"{base}pause/").status_code == 302
    assert "Paused by Ada" in client.get(f"{base}progress/").content.decode()
    assert client.post(f"{base}go-on/").status_code == 302


def signed_off(client: Client, base: str, rollback: Rollback) -> None:
    """Its one effect is accepted, with a reason."""
    page = client.get(f"{base}board/").content.decode()
    assert ("1 effect open" in page, "<b>paid</b>" in page) == (True, False)
    effect = str(rollback.effects.get(signed_off="").pk)
    assert client.post(f"{base}board/", {"effect": [effect]}).status_code == 422
    given = {"effect": [effect], "reason": "it was right"}
    assert client.post(f"{base}board/", given).status_code == 302


def test_from_the_release_to_a_closed_board(rolling: Rolling, web_user: None) -> None:
    rolling.canary()
    rolling.done(what="<b>paid</b>")
    rolling.asking(what="b")
    client, base = client_of(rolling), f"/t/{rolling.traffic.tenant.slug}/"
    with answering_as_web():
        rollback = planned(client, base)
        ordered(client, f"{base}rollbacks/1/", rollback)
    rollback = rolling.carry(rollback, until=phases.CLOSING)
    carrying.carry_on(rollback.pk)
    with answering_as_web():
        for path in ("releases/", "releases/of/steps/", "releases/1/"):
            assert "Rolled back, 1 effect open." in client.get(f"{base}{path}").content.decode()
        signed_off(client, f"{base}rollbacks/1/", rollback)
    assert rolling.carry(rollback).ended == "closed"
    with answering_as_web():
        assert "effect open." not in client.get(f"{base}releases/").content.decode()
        assert "Closed: nothing is open." in client.get(f"{base}rollbacks/1/").content.decode()
        assert "it was right" in client.get(f"{base}rollbacks/1/board/").content.decode()


def test_a_plan_lists_what_was_left_outside(
    rolling: Rolling, web_user: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything moves: newest first, bounded, with size and links, and how each is undone."""
    monkeypatch.delitem(registry.COMPENSATIONS, "fake.keyed")
    rolling.canary()
    done = [rolling.done(what=f"done {n}") for n in range(leaving.EACH_LISTED + 1)]
    with_no_way_back = rolling.done("fake.keyed", what="kept")
    asking = rolling.asking(what="<b>asked</b>")
    client, base = client_of(rolling), f"/t/{rolling.traffic.tenant.slug}/"
    with answering_as_web():
        page = client.get(f"{base}releases/1/rollback/").content.decode()
    assert page.count("Can be compensated from the board: a run of “") == leaving.EACH_LISTED - 1
    assert "Nothing is declared that undoes it" in page
    assert "and 2 more" in page
    assert ("&lt;b&gt;asked" in page, "<b>asked" in page) == (True, False)
    order = [page.find(f"{base}runs/{run.pk}/") for run in (with_no_way_back, *reversed(done))]
    assert order[-2:] == [-1, -1]
    assert order[:-2] == sorted(order[:-2])
    assert -1 not in order[:-2]
    for action in (asking.actions.get(), done[-1].actions.get()):
        assert f"{base}actions/{action.pk}/" in page
    question = rolling.question(asking)
    assert f"{base}approvals/{question.pk}/" in page
    assert wording.magnitude(question.magnitude) in page


def test_one_query_tells_of_all_releases_how_far_back_they_are(
    rolling: Rolling, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    release = rolling.canary()
    for what in "ab":
        rolling.done(what=what)
    other = Candidate(another("steps", "yet another prompt"), "better again")
    rolling.carry(rolling.start(release), until=phases.CLOSING)
    beginning.begin(rolling.traffic.tenant, other, user=rolling.traffic.ada)
    releases = list(Release.objects.order_by("number"))
    with django_assert_num_queries(1):
        told = [sentence for _, _, sentence in showing.of_each(releases)]
    assert told == ["Rolled back, 2 effects open.", "No new run gets it yet."]


def test_runs_are_chosen_for_from_their_page_and_effects_undone(
    rolling: Rolling, web_user: None
) -> None:
    release = rolling.canary()
    rolling.done()
    run = rolling.asking(what="b")
    rollback = rolling.carry(rolling.start(release), until=phases.RESTORING)
    client, base = client_of(rolling), f"/t/{rolling.traffic.tenant.slug}/rollbacks/1/"
    with answering_as_web():
        given = {"run": [str(run.pk)], "choice": "cancel", "why": "nobody needs it"}
        assert client.post(f"{base}runs/", given).status_code == 302
        assert client.post(f"{base}runs/", {**given, "run": ["x"]}).status_code == 422
        assert "chosen by Ada" in client.get(f"{base}runs/").content.decode()
    rolling.carry(rollback, until=phases.CLOSING)
    effect = rollback.effects.get(state="happened")
    with answering_as_web():
        assert client.post(f"{base}board/{effect.pk}/undo/", {}).status_code == 422
        undone = client.post(f"{base}board/{effect.pk}/undo/", {"why": "nonsense"})
        assert undone.status_code == 302
        assert "A run is at undoing it" in client.get(f"{base}board/").content.decode()
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_who_may_not_sees_who_may_and_orders_nothing(rolling: Rolling) -> None:
    rolling.propose(rolling.canary())
    client, base = Client(), f"/t/{rolling.traffic.tenant.slug}/rollbacks/1/"
    client.force_login(bob(rolling.traffic.tenant))
    page = client.get(base).content.decode()
    assert "may do this" in page
    assert "Roll back now" not in page
    assert client.post(f"{base}start/").status_code == 403


def test_the_page_says_what_hinders_a_rollback(rolling: Rolling) -> None:
    rolling.traffic.move(rolling.canary(), standing.STOP)
    rolling.traffic.begin()
    client, base = client_of(rolling), f"/t/{rolling.traffic.tenant.slug}/"
    page = client.get(f"{base}releases/1/rollback/").content.decode()
    assert "Release 2 is under way on top of it" in page
    assert Release.objects.count() == 2
