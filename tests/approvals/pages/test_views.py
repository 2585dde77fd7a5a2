"""The page of a request: what it shows to whom, and what it answers to each decision."""

import re

import pytest
from django.test import Client

from approvals import decisions
from approvals.models import ApprovalRequest, Decision
from tenants.access import grant
from tenants.actors import Actor
from tests.approvals.asking import address, asked_about, git_diff, signed_in
from tests.approvals.questions import TWO, approved_by, decide, eve, make_due, tamper
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked() -> ApprovalRequest:
    dee(make_tenant())
    return asked_about(git_diff(6))


def post(request: ApprovalRequest, verdict: str, **more: str) -> dict[str, str]:
    return {"verdict": verdict, "shown": request.action_hash, "reason": "Because.", **more}


def test_an_open_request_shows_the_change_the_facts_and_three_answers(
    asked: ApprovalRequest,
) -> None:
    page = signed_in(dee(asked.tenant)).get(address(asked))
    html = page.content.decode()
    assert page.status_code == 200
    assert "Push 5 files to requests" in html
    assert "CI and hooks" in html
    assert "new_1 = f&#x27;y&#x27;" in html
    assert f"<code>{asked.action_hash[:8]}</code>" in html
    assert html.count('name="verdict"') == 3
    for fact in ("Ada", "origin/main", "kedge@remote", "git.push", "not there"):
        assert fact in html
    assert "A worker makes the dry run once more." in html


def test_approving_is_recorded_and_said(asked: ApprovalRequest) -> None:
    user = dee(asked.tenant)
    client = signed_in(user)
    client.get(address(asked))
    answer = client.post(address(asked, "decision/"), post(asked, "approve"), follow=True)
    assert answer.redirect_chain == [(address(asked), 302)]
    asked.refresh_from_db()
    assert (asked.state, asked.closed_by) == ("approved", "Dee")
    assert "You approved: Push 5 files to requests" in answer.content.decode()
    assert "Dee approved this." in answer.content.decode()


@pytest.mark.parametrize(("verdict", "state"), [("reject", "rejected"), ("send_back", "sent_back")])
def test_a_no_needs_a_reason_and_keeps_what_was_written(
    asked: ApprovalRequest, verdict: str, state: str
) -> None:
    client = signed_in(dee(asked.tenant))
    answer = client.post(address(asked, "decision/"), post(asked, verdict, reason=" "))
    assert answer.status_code == 422
    assert "Say why" in answer.content.decode()
    client.post(address(asked, "decision/"), post(asked, verdict, reason="Not on a Friday."))
    asked.refresh_from_db()
    assert (asked.state, asked.closed_because) == (state, "Not on a Friday.")


def test_a_form_without_a_pressed_button_decides_nothing(asked: ApprovalRequest) -> None:
    client = signed_in(dee(asked.tenant))
    answer = client.post(
        address(asked, "decision/"), {"shown": asked.action_hash, "reason": "kept text"}
    )
    assert answer.status_code == 422
    assert "Press one of the buttons" in answer.content.decode()
    assert "kept text" in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_second_decision_is_told_of_the_first(asked: ApprovalRequest) -> None:
    decide(asked, dee(asked.tenant), "reject", "No.")
    client = signed_in(ada(asked.tenant))
    answer = signed_in(eve(asked.tenant)).post(address(asked, "decision/"), post(asked, "approve"))
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "This was decided already" in html
    assert "Dee rejected it before you pressed: “No.” Nothing was sent." in html
    assert "Because." in html
    assert client.get(address(asked)).status_code == 200


def test_the_same_press_twice_is_one_decision(asked: ApprovalRequest) -> None:
    client = signed_in(dee(asked.tenant))
    client.get(address(asked))
    for _press in range(2):
        answer = client.post(address(asked, "decision/"), post(asked, "approve"))
        assert answer.status_code == 302
    assert Decision.objects.count() == 1


def test_nobody_approves_the_run_they_started(asked: ApprovalRequest) -> None:
    client = signed_in(ada(asked.tenant))
    html = client.get(address(asked)).content.decode()
    assert "You started this run" in html
    assert 'name="verdict"' not in html
    answer = client.post(address(asked, "decision/"), post(asked, "approve"))
    assert answer.status_code == 403
    assert "Somebody else must decide" in answer.content.decode()
    assert "Dee" in answer.content.decode()


def test_a_hash_nobody_was_shown_is_refused(asked: ApprovalRequest) -> None:
    client = signed_in(dee(asked.tenant))
    answer = client.post(address(asked, "decision/"), post(asked, "approve", shown="0" * 64))
    assert answer.status_code == 409
    assert "never shown by this system" in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_viewer_sees_the_summary_and_no_payload(asked: ApprovalRequest) -> None:
    client = signed_in(bob(asked.tenant))
    html = client.get(address(asked)).content.decode()
    assert "CI and hooks" in html
    assert "new_1" not in html
    assert "You may not see the change itself" in html
    assert 'name="verdict"' not in html
    for rest in ("diff/", "files/1/"):
        assert client.get(address(asked, rest)).status_code == 403


@pytest.mark.parametrize("rest", ["", "standing/", "diff/", "files/1/"])
def test_strangers_and_visitors_learn_nothing(asked: ApprovalRequest, rest: str) -> None:
    assert signed_in(cy()).get(address(asked, rest)).status_code == 404
    away = signed_in(dee(asked.tenant)).get(
        address(asked, rest).replace(str(asked.pk), "019a2f4c-7b1e-7c3d-9a40-5d1f0e9c2b71")
    )
    assert away.status_code == 404
    sent_off = Client().get(address(asked, rest))
    assert sent_off.status_code == 302
    assert sent_off["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("rest", ["decision/", "withdrawal/", "taking-back/"])
def test_verbs_are_closed_to_all_but_their_people(asked: ApprovalRequest, rest: str) -> None:
    given = post(asked, "approve")
    assert signed_in(cy()).post(address(asked, rest), given).status_code == 404
    assert signed_in(bob(asked.tenant)).post(address(asked, rest), given).status_code == 403
    assert Client().post(address(asked, rest), given).status_code == 401
    assert signed_in(dee(asked.tenant)).get(address(asked, rest)).status_code == 405
    assert not Decision.objects.exists()


def test_a_request_of_another_tenant_does_not_exist_here(asked: ApprovalRequest) -> None:
    other = make_tenant("other")
    user = dee(asked.tenant, other)
    there = address(asked).replace("/t/acme/", "/t/other/")
    assert signed_in(user).get(there).status_code == 404
    posted = signed_in(user).post(there + "decision/", post(asked, "approve"))
    assert posted.status_code == 404
    assert not Decision.objects.exists()


def test_closed_requests_say_what_was_decided_and_show_the_change_as_it_was(
    asked: ApprovalRequest,
) -> None:
    decide(asked, dee(asked.tenant), "reject", "Not this way.")
    html = signed_in(dee(asked.tenant)).get(address(asked)).content.decode()
    assert "Dee rejected this: “Not this way.” Nothing was sent." in html
    assert "new_1" in html
    assert 'name="verdict"' not in html


def test_a_request_whose_time_is_over_cannot_be_decided(asked: ApprovalRequest) -> None:
    make_due(asked)
    client = signed_in(dee(asked.tenant))
    html = client.get(address(asked)).content.decode()
    assert "Its time is over." in html
    assert 'name="verdict"' not in html
    answer = client.post(address(asked, "decision/"), post(asked, "approve"))
    assert answer.status_code == 409
    assert "Its time was over before you pressed." in answer.content.decode()


def test_two_are_needed_and_the_page_says_who_is_missing() -> None:
    acme = make_tenant()
    dee(acme)
    asked = asked_about(git_diff(2), requirement=TWO)
    second = eve(asked.tenant)
    html = signed_in(dee(acme)).get(address(asked)).content.decode()
    assert "Your yes counts, and 1 more is needed" in html
    decide(asked, dee(acme))
    html = signed_in(second).get(address(asked)).content.decode()
    assert "1 of 2 people have said yes." in html
    assert "A worker makes the dry run once more." in html
    mine = signed_in(dee(acme)).get(address(asked)).content.decode()
    assert "Take my yes back" in mine
    answer = signed_in(dee(acme)).post(address(asked, "taking-back/"), {"reason": "Too early."})
    assert answer.status_code == 302
    assert "taken back: Too early." in signed_in(dee(acme)).get(address(asked)).content.decode()


def test_an_unused_approval_can_be_withdrawn_with_a_reason(asked: ApprovalRequest) -> None:
    approved_by(asked, dee(asked.tenant))
    client = signed_in(ada(asked.tenant))
    assert "Withdraw the approval" in client.get(address(asked)).content.decode()
    empty = client.post(address(asked, "withdrawal/"), {"reason": ""})
    assert empty.status_code == 422
    assert "Say why" in empty.content.decode()
    answer = client.post(address(asked, "withdrawal/"), {"reason": "Wrong branch."}, follow=True)
    assert "Ada withdrew this: “Wrong branch.”" in answer.content.decode()
    asked.refresh_from_db()
    assert asked.state == "withdrawn"


def test_withdrawing_twice_says_calmly_what_became_of_it(asked: ApprovalRequest) -> None:
    approved_by(asked, dee(asked.tenant))
    actor = Actor.person(dee(asked.tenant))
    decisions.withdraw_approval(asked.pk, actor=actor, reason="First.")
    answer = signed_in(ada(asked.tenant)).post(address(asked, "withdrawal/"), {"reason": "Second."})
    assert answer.status_code == 409
    assert (
        "Dee withdrew it before you pressed: “First.” Nothing was sent." in answer.content.decode()
    )


def test_a_tampered_request_can_be_decided_by_nobody(asked: ApprovalRequest) -> None:
    tamper(asked, diff=git_diff(6) + b" ")
    client = signed_in(dee(asked.tenant))
    html = client.get(address(asked)).content.decode()
    assert "Nobody may decide it." in html
    assert 'name="verdict"' not in html
    answer = client.post(address(asked, "decision/"), post(asked, "approve"))
    assert answer.status_code == 409
    assert not Decision.objects.exists()


def test_a_poll_says_when_there_is_nothing_more_to_ask(asked: ApprovalRequest) -> None:
    client = signed_in(bob(asked.tenant))
    assert client.get(address(asked, "standing/")).status_code == 200
    decide(asked, dee(asked.tenant), "reject", "No.")
    over = client.get(address(asked, "standing/"))
    assert over.status_code == 286
    assert "hx-get" not in over.content.decode()


def test_the_whole_change_is_handed_out_byte_for_byte(asked: ApprovalRequest) -> None:
    answer = signed_in(dee(asked.tenant)).get(address(asked, "diff/"))
    assert answer.content == bytes(asked.diff)
    assert answer["Content-Disposition"].startswith("attachment")


def test_panel_of_a_run_is_a_page_and_a_fragment(asked: ApprovalRequest) -> None:
    client, url = signed_in(bob(asked.tenant)), f"/t/acme/runs/{asked.run_id}/requests/"
    page = client.get(url).content.decode()
    assert "<html" in page
    fragment = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert re.match(r"\s*<section[^>]* id=\"run-requests\"", fragment)
    assert "Push 5 files to requests" in fragment
    assert "<html" not in fragment
    assert signed_in(cy()).get(url).status_code == 404


def test_a_page_without_a_form_is_made_anew_when_the_request_moved(
    asked: ApprovalRequest,
) -> None:
    reader, writer = signed_in(bob(asked.tenant)), signed_in(dee(asked.tenant))
    assert "shown=open" in reader.get(address(asked)).content.decode()
    assert "shown=" not in writer.get(address(asked)).content.decode()
    still = reader.get(address(asked, "standing/?shown=open"))
    assert "HX-Refresh" not in still.headers
    assert "shown=open" in still.content.decode()
    decide(asked, dee(asked.tenant))
    assert reader.get(address(asked, "standing/?shown=open"))["HX-Refresh"] == "true"
    news = writer.get(address(asked, "standing/"))
    assert news["HX-Trigger"] == "request-closed"
    beside = writer.get(address(asked, "standing/?beside")).content.decode()
    assert "An answer from this page is not counted any more." in beside


def test_nobody_decides_about_what_they_were_not_shown(asked: ApprovalRequest) -> None:
    blind = bob(asked.tenant)
    grant(asked.tenant, blind, "approve_actions")
    html = signed_in(blind).get(address(asked)).content.decode()
    assert "You may not see the change, so you cannot decide about it." in html
    for verdict in ("approve", "reject", "send_back"):
        answer = signed_in(blind).post(address(asked, "decision/"), post(asked, verdict))
        assert answer.status_code == 403
    assert not Decision.objects.exists()
