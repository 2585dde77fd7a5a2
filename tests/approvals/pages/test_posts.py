"""What posting answers when somebody was quicker, the tab is old or the run is gone: news, no error."""

import pytest
from django.http import HttpResponse
from django.test import Client

from approvals import requests
from approvals.models import ApprovalRequest, Decision, HandOver
from tenants.keys import hiding
from tenants.models import Tenant, User
from tests.approvals.asking import address, asked_about, git_diff, question, signed_in
from tests.approvals.people.test_handovers import hand
from tests.approvals.questions import (
    TWO,
    WORKER,
    approved_by,
    ask,
    decide,
    eve,
    make_due,
    make_run,
)
from tests.opening import open_all
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def tenant() -> Tenant:
    tenant = make_tenant()
    dee(tenant)
    return tenant


@pytest.fixture
def asked(tenant: Tenant) -> ApprovalRequest:
    return asked_about(git_diff(2))


def answer(request: ApprovalRequest, user: User, verdict: str = "approve") -> HttpResponse:
    """One press in a page that htmx serves, by a person who has opened everything."""
    open_all(request.pk, user)
    given = {"verdict": verdict, "shown": request.action_hash, "reason": "Read it."}
    url = address(request, "decision/")
    return signed_in(user).post(url, given, headers=HTMX)  # type: ignore[return-value]


def news(posted: HttpResponse, status: int = 409) -> str:
    """The fragment above the form: it never is a page."""
    html = posted.content.decode()
    assert posted.status_code == status
    assert 'role="alert"' in html
    assert "<html" not in html
    return html


def test_a_decision_leads_on_and_htmx_is_told_where(asked: ApprovalRequest) -> None:
    posted = answer(asked, dee())
    assert (posted.status_code, posted["HX-Redirect"]) == (200, address(asked))
    again = answer(asked, dee())
    assert again["HX-Redirect"] == address(asked)
    assert Decision.objects.count() == 1


def test_the_loser_of_two_is_told_by_whom_and_when(asked: ApprovalRequest) -> None:
    decide(asked, dee(), "reject", "Not on a Friday.")
    html = news(answer(asked, eve(asked.tenant)))
    assert "This was decided already" in html
    assert "Dee rejected it before you pressed: “Not on a Friday.” Nothing was sent." in html
    assert "<time" in html


def test_a_decision_after_it_was_sent_says_so(asked: ApprovalRequest) -> None:
    approved_by(asked, dee())
    ApprovalRequest.objects.filter(pk=asked.pk).update(state="used")
    html = news(answer(asked, eve(asked.tenant)))
    assert "Dee approved it before you pressed, and it was sent." in html


def test_a_decision_after_cancel_hears_of_it(asked: ApprovalRequest) -> None:
    requests.withdraw(asked.action_id, actor=WORKER, reason="The run was cancelled.")
    html = news(answer(asked, dee()))
    assert "withdrew it before you pressed: “The run was cancelled.” Nothing was sent." in html
    assert not Decision.objects.exists()


def test_a_decision_after_its_combo_was_withdrawn_hears_of_it(asked: ApprovalRequest) -> None:
    why = "Its version combo was rolled back."
    requests.withdraw(asked.action_id, actor=WORKER, reason=hiding.text(why))
    assert why in news(answer(asked, dee()))


def test_a_decision_after_its_time_hears_of_it(asked: ApprovalRequest) -> None:
    make_due(asked)
    assert "Its time was over before you pressed." in news(answer(asked, dee()))


def test_another_answer_from_the_back_button_is_not_counted(tenant: Tenant) -> None:
    asked = asked_about(git_diff(2), requirement=TWO)
    decide(asked, dee())
    html = news(answer(asked, dee(), "reject"))
    assert "Dee approved it already. One answer per person counts." in html
    assert Decision.objects.get().verdict == "approve"


def test_a_stale_tab_sees_in_place_what_moved(tenant: Tenant) -> None:
    run = make_run(tenant)
    first = question(run, git_diff(2))
    old = ask(first)
    new = ask(question(run, git_diff(3), action_id=first.bound.action_id))
    html = news(answer(old, dee()))
    assert "What would happen has changed since your page was made" in html
    assert address(new) in html
    assert not Decision.objects.exists()


def test_who_may_not_is_told_who_can(asked: ApprovalRequest) -> None:
    html = news(answer(asked, ada(asked.tenant)), 403)
    assert "Somebody else must decide" in html
    assert "Dee" in html


def test_withdrawing_what_is_on_its_way_says_so(asked: ApprovalRequest) -> None:
    approved_by(asked, dee())
    ApprovalRequest.objects.filter(pk=asked.pk).update(state="used")
    client = signed_in(ada(asked.tenant))
    html = news(client.post(address(asked, "withdrawal/"), {"reason": "Stop."}, headers=HTMX))  # type: ignore[arg-type]
    assert "Dee approved it before you pressed, and it was sent." in html


def test_what_cannot_be_accepted_comes_back_in_its_column(asked: ApprovalRequest) -> None:
    given = {"verdict": "reject", "shown": asked.action_hash, "reason": " "}
    posted = signed_in(dee()).post(address(asked, "decision/"), given, headers=HTMX)
    assert (posted.status_code, posted["HX-Retarget"]) == (422, "#decision-column")
    assert "Say why" in posted.content.decode()
    assert "<html" not in posted.content.decode()


def test_an_old_form_is_refused_in_place_too(asked: ApprovalRequest) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(dee())
    given = {"verdict": "approve", "shown": asked.action_hash}
    posted = client.post(address(asked, "decision/"), given, headers=HTMX)
    assert "Nothing was done and nothing was decided." in news(posted, 403)  # type: ignore[arg-type]


def test_a_colleague_is_asked_and_asked_no_more_from_the_page(asked: ApprovalRequest) -> None:
    to, client = eve(asked.tenant), signed_in(dee())
    assert "Ask a colleague to decide" in client.get(address(asked)).content.decode()
    given = {"colleague": to.pk, "note": "You wrote it."}
    page = client.post(address(asked, "hand-overs/"), given, follow=True).content.decode()
    assert "You asked Eve to decide. You can still decide yourself." in page
    assert "Stop asking Eve" in page
    theirs = signed_in(to).get(address(asked)).content.decode()
    assert "you, by Dee" in theirs
    assert "“You wrote it.”" in theirs
    back = address(asked, f"hand-overs/{HandOver.objects.get().pk}/taking-back/")
    page = client.post(back, follow=True).content.decode()
    assert "You no longer ask Eve to decide." in page
    assert "you, by Dee" not in signed_in(to).get(address(asked)).content.decode()


def test_nobody_who_cannot_decide_is_offered_or_asked(asked: ApprovalRequest) -> None:
    client = signed_in(dee())
    for user in (ada(asked.tenant), bob(asked.tenant), cy(), dee()):
        posted = client.post(address(asked, "hand-overs/"), {"colleague": user.pk})
        assert posted.status_code == 422
    assert not HandOver.objects.exists()


def test_handing_over_is_closed_to_those_who_only_look(asked: ApprovalRequest) -> None:
    to = eve(asked.tenant)
    given = hand(asked, dee(), to)
    back = address(asked, f"hand-overs/{given.pk}/taking-back/")
    for user, status in ((bob(asked.tenant), 403), (cy(), 404)):
        assert (
            signed_in(user).post(address(asked, "hand-overs/"), {"colleague": to.pk}).status_code
            == status
        )
        assert signed_in(user).post(back).status_code == status
    assert signed_in(to).post(back).status_code == 403
    elsewhere = asked_about(git_diff(1))
    assert signed_in(dee()).post(back.replace(str(asked.pk), str(elsewhere.pk))).status_code == 404
    given.refresh_from_db()
    assert given.taken_back_at is None
