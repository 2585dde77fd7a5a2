"""The inbox: one list of all that needs a person, oldest first, and the way to the next."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Case
from tenants import access
from tests.approvals.asking import asked_about, git_diff
from tests.approvals.people.test_handovers import hand
from tests.approvals.questions import TWO, decide, eve
from tests.people import ada, bob, cy, dee, make_tenant
from tests.reconciliation.deskwork import held, signed_in

pytestmark = pytest.mark.django_db

INBOX = "/t/acme/inbox/"


def rows(html: str) -> list[str]:
    return html.split('<th scope="row">')[1:]


def test_approvals_and_cases_stand_in_one_list_longest_waiting_first() -> None:
    acme = make_tenant()
    asked_about(git_diff(1), describe="First thing")
    held(acme, "crash_loop")
    asked_about(git_diff(1), describe="Third thing")
    html = signed_in(dee(acme)).get(INBOX).content.decode()
    found = rows(html)
    assert "3 things need a person" in html
    assert [
        text in row
        for text, row in zip(
            ("First thing", "The sentence of crash_loop.", "Third thing"), found, strict=True
        )
    ] == [True, True, True]
    assert "Approval" in html
    assert "Crash loop" in html


def test_a_filter_lives_in_the_address_and_says_what_it_hides() -> None:
    acme = make_tenant()
    asked_about(git_diff(1), describe="A push")
    held(acme, "crash_loop")
    html = signed_in(dee(acme)).get(INBOX + "?kind=crash_loop").content.decode()
    assert "A push" not in html
    assert "1 more is hidden by your filter." in html
    empty = signed_in(dee(acme)).get(INBOX + "?kind=unmigratable").content.decode()
    assert "Nothing matches these filters" in empty
    nonsense = signed_in(dee(acme)).get(INBOX + "?kind=zzz&after=zzz")
    assert "A push" in nonsense.content.decode()


def test_an_empty_inbox_is_good_news() -> None:
    html = signed_in(bob(make_tenant())).get(INBOX).content.decode()
    assert "Nothing needs a person" in html
    assert "0 things need a person" in html


def test_each_row_says_whether_this_person_decides_it() -> None:
    acme = make_tenant()
    asked_about(git_diff(1))
    held(acme, "crash_loop")
    starter = rows(signed_in(ada(acme)).get(INBOX).content.decode())
    assert "somebody else: you started it" in starter[0]
    assert "you can" in starter[1]
    approver = rows(signed_in(dee(acme)).get(INBOX).content.decode())
    assert "you can" in approver[0]
    assert "somebody else: you lack the right" in approver[1]


def test_next_leads_to_the_oldest_that_this_person_may_decide() -> None:
    acme = make_tenant()
    first, second = asked_about(git_diff(1)), asked_about(git_diff(1))
    case = held(acme, "crash_loop")
    client = signed_in(dee(acme))
    assert client.get(INBOX + "next/")["Location"] == f"/t/acme/approvals/{first.pk}/?onward=1"
    decide(first, dee(acme))
    assert str(second.pk) in client.get(INBOX + "next/")["Location"]
    after = client.get(f"{INBOX}next/?after={second.pk}", follow=True)
    assert "Nothing else here waits for you." in after.content.decode()
    mine = signed_in(ada(acme)).get(INBOX + "next/")["Location"]
    assert mine == f"/t/acme/cases/{case.pk}/?onward=1"


def test_deciding_onward_leads_to_the_next_one() -> None:
    acme = make_tenant()
    first, second = asked_about(git_diff(1)), asked_about(git_diff(1))
    client = signed_in(dee(acme))
    client.get(f"/t/acme/approvals/{first.pk}/")
    answer = client.post(
        f"/t/acme/approvals/{first.pk}/decision/",
        {"verdict": "approve", "shown": first.action_hash, "onward": "on"},
        follow=True,
    )
    assert answer.redirect_chain[-1][0] == f"/t/acme/approvals/{second.pk}/?onward=1"
    assert "You approved: Push 5 files to requests" in answer.content.decode()
    assert "Then the next that needs you opens." in answer.content.decode()


def test_deciding_onward_keeps_the_filter() -> None:
    acme = make_tenant()
    case = held(acme, "crash_loop")
    first, second = asked_about(git_diff(1)), asked_about(git_diff(1))
    client = signed_in(dee(acme))
    access.grant(acme, dee(acme), "reconcile_actions")
    page = client.get(f"/t/acme/approvals/{first.pk}/?onward=approval").content.decode()
    assert 'name="onward" value="approval"' in page
    answer = client.post(
        f"/t/acme/approvals/{first.pk}/decision/",
        {"verdict": "approve", "shown": first.action_hash, "onward": "approval"},
        follow=True,
    )
    assert [address for address, _status in answer.redirect_chain] == [
        "/t/acme/inbox/next/?kind=approval",
        f"/t/acme/approvals/{second.pk}/?onward=approval",
    ]
    unfiltered = client.get(INBOX + "next/")["Location"]
    assert unfiltered == f"/t/acme/cases/{case.pk}/?onward=1"


def test_what_was_decided_and_is_not_proven_stands_below() -> None:
    acme = make_tenant()
    case = held(acme, "crash_loop")
    client = signed_in(ada(acme))
    client.post(
        f"/t/acme/cases/{case.pk}/verdicts/", {"verdict": "try_again", "reason": "New memory."}
    )
    html = client.get(INBOX).content.decode()
    assert "0 things need a person" in html
    assert "Sent, not yet proven" in html
    assert Case.objects.get(pk=case.pk).closed_at is None


def test_pages_of_the_list_follow_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    acme = make_tenant()
    for number in range(52):
        asked_about(git_diff(1), describe=f"Thing {number:02d}")
    client = signed_in(dee(acme))
    html = client.get(INBOX).content.decode()
    assert len(rows(html)) == 50
    older = html.split('rel="next" href="')[1].split('"')[0]
    rest = client.get(older).content.decode()
    assert [f"Thing {number}" in row for number, row in zip((50, 51), rows(rest), strict=True)] == [
        True,
        True,
    ]


def test_more_entries_cost_no_more_queries() -> None:
    acme = make_tenant()
    asked_about(git_diff(1))
    held(acme, "crash_loop")
    client = signed_in(dee(acme))
    few = _queries(client)
    for _each in range(15):
        asked_about(git_diff(1))
        held(acme, "unmigratable")
    assert _queries(client) == few


@pytest.mark.parametrize("url", [INBOX, INBOX + "next/"])
def test_strangers_and_visitors_learn_nothing(url: str) -> None:
    acme = make_tenant()
    auditor = bob()
    access.grant(acme, auditor, "audit")
    assert signed_in(cy()).get(url).status_code == 404
    assert signed_in(auditor).get(url).status_code == 403
    assert Client().get(url).status_code == 302


def test_the_inbox_of_a_tenant_shows_nothing_of_another() -> None:
    acme, other = make_tenant(), make_tenant("other")
    held(other, "crash_loop")
    html = signed_in(ada(acme, other)).get(INBOX).content.decode()
    assert "0 things need a person" in html


def test_what_was_handed_over_says_so_in_both_inboxes() -> None:
    acme = make_tenant()
    first, second = asked_about(git_diff(1)), asked_about(git_diff(1))
    giver, taker = dee(acme), eve(acme)
    hand(first, giver, taker)
    mine, theirs = signed_in(giver), signed_in(taker)
    assert "you asked Eve" in rows(mine.get(INBOX).content.decode())[0]
    html = theirs.get(INBOX).content.decode()
    assert "Dee asked you" in rows(html)[0]
    assert "You were asked" in html
    only = theirs.get(INBOX + "?kind=handed").content.decode()
    assert len(rows(only)) == 1
    assert "1 more is hidden by your filter." in only
    assert "You were asked" not in mine.get(INBOX).content.decode()
    # What I gave away is not what I decide next; for my colleague it is.
    assert str(second.pk) in mine.get(INBOX + "next/")["Location"]
    assert str(first.pk) in theirs.get(INBOX + "next/")["Location"]


def test_what_is_mine_to_decide_can_be_chosen_for_one_form() -> None:
    acme = make_tenant()
    first, second, answered = (asked_about(git_diff(1), requirement=TWO) for _ in range(3))
    held(acme, "crash_loop")
    decide(answered, dee(acme))
    html = signed_in(dee(acme)).get(INBOX).content.decode()
    assert html.count('name="r"') == 2
    assert f"r={first.pk.hex}&amp;r={second.pk.hex}" in html
    assert "somebody else: you have answered" in html
    for user in (ada(acme), bob(acme)):
        assert 'name="r"' not in signed_in(user).get(INBOX).content.decode()


def test_what_is_approved_and_not_sent_stands_there_with_its_age() -> None:
    acme = make_tenant()
    asked = asked_about(git_diff(1), describe="Approved thing")
    decide(asked, dee(acme))
    client = signed_in(dee(acme))
    html = client.get(INBOX).content.decode()
    assert "Approved, not sent" in html
    assert "Approved thing" in html
    assert ">Late<" not in html
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE approvals_approval SET granted_at = granted_at - interval '2 hours'")
        cursor.execute("SET session_replication_role = DEFAULT")
    late = client.get(INBOX).content.decode()
    assert ">Late<" in late
    assert "2 h" in late
    assert "Approved and not sent: something holds it" in client.get("/t/acme/").content.decode()


def _queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(INBOX).status_code == 200
    return len(captured)
