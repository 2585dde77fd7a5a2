"""Working on a case in the browser: everybody sees who is at it, and only who may acts."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from checkpoints.desk import working
from checkpoints.models import Case, Claim, Note, OutsideWait
from tenants.models import Tenant, User
from tests.people import ada, bob, cy, eve, make_tenant
from tests.reconciliation.deskwork import held, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

POSTS = ("claim", "claim/keep", "claim/end", "hand-over", "notes", "outside", "outside/end")


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def case(tenant: Tenant) -> Case:
    return held(tenant, "crash_loop")


@pytest.fixture
def first(tenant: Tenant) -> User:
    return ada(tenant)


@pytest.fixture
def second(tenant: Tenant) -> User:
    return eve(tenant)


def address(case: Case, rest: str = "") -> str:
    return f"/t/{case.tenant.slug}/cases/{case.pk}/{rest}"


def html_of(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def post(client: Client, case: Case, rest: str, **given: object) -> str:
    answer = client.post(address(case, f"{rest}/"), given, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_who_claims_it_is_shown_to_everybody(case: Case, first: User, second: User) -> None:
    assert "Nobody has claimed this." in html_of(signed_in(first), address(case))
    assert "<strong>You</strong> have claimed this since" in post(signed_in(first), case, "claim")
    theirs = html_of(signed_in(second), address(case))
    assert "<strong>Ada</strong> has claimed this since" in theirs
    assert "Take over from Ada" in theirs
    assert "Take over" not in html_of(signed_in(bob(case.tenant)), address(case))


def test_it_is_taken_over_only_by_who_was_asked(case: Case, first: User, second: User) -> None:
    working.claim(case.pk, user=first)
    html = post(signed_in(second), case, "claim")
    assert "Ada has claimed this since" in html
    assert Claim.objects.get(ended="").holder == first
    theirs = Claim.objects.get().pk
    html = post(signed_in(second), case, "claim", over=theirs + 1)
    assert "Ada has claimed this since" in html
    html = post(signed_in(second), case, "claim", over=theirs)
    assert "You have claimed it." in html
    assert "Taken over from Ada" in html


def test_the_heartbeat_of_the_holder_keeps_it_and_stays_a_heartbeat(
    case: Case, first: User
) -> None:
    working.claim(case.pk, user=first)
    Claim.objects.update(lease_until=Now() + timedelta(seconds=5))
    answer = signed_in(first).post(address(case, "claim/keep/"), headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert f'hx-post="{address(case, "claim/keep/")}"' in answer.content.decode()
    assert Claim.objects.filter(lease_until__gt=Now() + timedelta(minutes=10)).exists()


def test_the_heartbeat_of_anybody_else_is_refused_and_says_who_holds_it(
    case: Case, first: User, second: User
) -> None:
    working.claim(case.pk, user=first)
    was = Claim.objects.get().lease_until
    answer = signed_in(second).post(address(case, "claim/keep/"), headers={"HX-Request": "true"})
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "<strong>Ada</strong> has claimed this since" in html
    assert "hx-post" not in html
    assert Claim.objects.get().lease_until == was
    assert "You do not hold this claim any more." in post(signed_in(second), case, "claim/keep")


def test_without_a_script_a_button_keeps_it_and_one_lets_go(case: Case, first: User) -> None:
    client = signed_in(first)
    working.claim(case.pk, user=first)
    assert "a while longer" in post(client, case, "claim/keep")
    assert "You released it." in post(client, case, "claim/end")
    assert "You do not hold this claim any more." in post(client, case, "claim/end")


def test_a_case_is_handed_over_with_a_note(case: Case, first: User, second: User) -> None:
    client = signed_in(first)
    html = post(client, case, "hand-over", colleague=second.pk, note="The bank calls at nine.")
    assert "Eve holds it now, and is told." in html
    assert "Handed over to Eve" in html
    assert "The bank calls at nine." in html
    assert "Ada handed it over to you." in html_of(signed_in(second), address(case))


def test_nobody_is_handed_a_case_who_cannot_decide_it(case: Case, first: User) -> None:
    watcher = bob(case.tenant)
    html = post(signed_in(first), case, "hand-over", colleague=watcher.pk)
    assert "cannot decide it any more" in html
    assert not Claim.objects.exists()


def test_notes_stand_in_the_story_escaped(case: Case, first: User) -> None:
    html = post(signed_in(first), case, "notes", text="Rang <b>them</b>.")
    assert "Rang &lt;b&gt;them&lt;/b&gt;." in html
    assert html.index("The run was put on hold") < html.index("Rang &lt;b&gt;")
    assert "A note says something." in post(signed_in(first), case, "notes", text=" ")
    assert Note.objects.count() == 1


def test_the_clock_stands_still_while_somebody_outside_is_waited_for(
    case: Case, first: User
) -> None:
    client = signed_in(first)
    html = post(client, case, "outside", party="the bank", why="They look it up.")
    assert "Stands still" in html
    assert "Waits for <strong>the bank</strong>, says Ada:" in html
    assert "They look it up." in html
    html = post(client, case, "outside/end")
    assert "Waits for the bank no more" in html
    assert OutsideWait.objects.get().ended_by == first
    assert "It waits for nobody outside." in post(client, case, "outside/end")


def test_an_overdue_case_says_so_in_a_word(case: Case, first: User) -> None:
    assert "Overdue" not in html_of(signed_in(first), address(case, "work/"))
    Case.objects.update(opened_at=Now() - timedelta(hours=5))
    html = html_of(signed_in(first), address(case, "work/"))
    assert "Overdue" in html
    assert "of 4 h" in html


def test_a_decided_case_asks_no_more_who_is_at_it(case: Case, first: User) -> None:
    client = signed_in(first)
    client.post(address(case, "verdicts/"), {"verdict": "try_again", "reason": "Mended."})
    answer = client.get(address(case, "work/"))
    assert answer.status_code == 286
    assert "claimed this" not in answer.content.decode()
    assert "decided already by Ada" in post(client, case, "claim")


@pytest.mark.parametrize("rest", POSTS)
def test_nobody_else_changes_anything(case: Case, rest: str) -> None:
    given = {"text": "x", "party": "x", "why": "x", "colleague": "1"}
    for user, expected in (
        (cy(), 404),
        (eve(make_tenant("other")), 404),
        (bob(case.tenant), 403),
    ):
        assert signed_in(user).post(address(case, f"{rest}/"), given).status_code == expected
        assert signed_in(user).get(address(case, f"{rest}/")).status_code == 405
    assert not Claim.objects.exists()
    assert not Note.objects.exists()
    assert not OutsideWait.objects.exists()


@pytest.mark.parametrize("rest", ["work", *POSTS])
def test_the_case_of_another_tenant_is_not_found(case: Case, rest: str) -> None:
    other = make_tenant("other")
    client = signed_in(eve(other))
    url = f"/t/other/cases/{case.pk}/{rest}/"
    answer = client.get(url) if rest == "work" else client.post(url, {"text": "x"})
    assert answer.status_code == 404
