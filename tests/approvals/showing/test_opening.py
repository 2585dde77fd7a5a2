"""A yes is held back until all is opened: in the verb, in the page, in a batch; and who may go without."""

import re
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.test import Client

from approvals import decisions
from approvals.decisions import Given
from approvals.errors import UnopenedError
from approvals.models import ApprovalRequest, Decision
from approvals.people import reversibility
from approvals.rules import Requirement
from approvals.showing import coverage, opening, shown
from checkpoints.models import Event
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.approvals.asking import address, asked_about, git_diff, signed_in
from tests.approvals.questions import ONE, WORKER
from tests.opening import open_all
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

LARGE = git_diff(12, lines=40)
ALL_OF_IT = replace(ONE, open_all=True)
GONE = replace(ONE, rules=("any",), reversibility="irreversible")


@pytest.fixture
def undone() -> None:
    """The tenant says that its pushes can be undone."""
    say("reversible")


def say(what: str) -> None:
    reversibility.set_class(make_tenant(), "git.push", what, actor=WORKER, why="It is so.")


def yes(asked: ApprovalRequest, user: User, without: int = 0) -> ApprovalRequest:
    given = Given("approve", "Looks right.", asked.action_hash, without)
    return decisions.decide(asked.pk, given, actor=Actor.person(user), user=user)


def refused(asked: ApprovalRequest, user: User, without: int = 0) -> UnopenedError:
    with pytest.raises(UnopenedError) as caught:
        yes(asked, user, without)
    asked.refresh_from_db()
    assert (asked.state, Decision.objects.count()) == ("open", 0)
    return caught.value


def test_a_yes_to_what_was_not_opened_is_refused_and_names_what_is_left(undone: None) -> None:
    asked = asked_about(LARGE)
    user = dee(asked.tenant)
    error = refused(asked, user)
    assert len(error.left) == 13  # twelve files, and the parameters
    assert (error.left[0], error.left[-1]) == ("file/1/1", "parameters/1")
    open_all(asked.pk, user)
    assert yes(asked, user).state == "approved"
    assert Decision.objects.get().unopened == 0


def test_a_long_file_is_left_until_its_last_part_is_opened(undone: None) -> None:
    asked = asked_about(git_diff(1, lines=700))
    user = dee(asked.tenant)
    *windows, last, parameters = coverage.parts(asked)
    shown.record(asked.pk, user, [*windows, parameters])
    assert refused(asked, user).left == (last.name,)


@pytest.mark.parametrize("verdict", ["reject", "send_back"])
def test_a_no_needs_nothing_opened(verdict: str) -> None:
    asked = asked_about(LARGE)
    user = dee(asked.tenant)
    given = Given(verdict, "Not like this.", asked.action_hash)
    decisions.decide(asked.pk, given, actor=Actor.person(user), user=user)
    assert Decision.objects.get().verdict == verdict


def test_who_says_how_much_they_did_not_open_may_decide_and_it_is_on_record(undone: None) -> None:
    asked = asked_about(LARGE)
    user = dee(asked.tenant)
    for wrong in (1, 12, 14, -13):
        refused(asked, user, wrong)
    assert yes(asked, user, 13).state == "approved"
    assert Decision.objects.get().unopened == 13
    assert AuditRow.objects.get(verb="approve").detail["unopened"] == "13"
    assert Event.objects.get(what="approved").detail["unopened"] == "13"


def test_the_number_of_an_older_page_is_another_one(undone: None) -> None:
    asked = asked_about(LARGE)
    user = dee(asked.tenant)
    signed_in(user).get(address(asked, "files/3/"))
    assert refused(asked, user, 13).said == 13
    assert yes(asked, user, 12).state == "approved"


@pytest.mark.parametrize("demand", [GONE, ALL_OF_IT], ids=["irreversible", "by rule"])
def test_what_cannot_be_undone_and_what_a_rule_names_is_opened_whole(
    undone: None, demand: Requirement
) -> None:
    asked = asked_about(LARGE, requirement=demand)
    user = dee(asked.tenant)
    assert refused(asked, user, 13).why_all == ("class" if demand is GONE else "rule")


def test_what_nobody_classed_is_opened_whole_and_so_is_what_was_classed_worse_since() -> None:
    asked = asked_about(LARGE)
    user = dee(asked.tenant)
    assert refused(asked, user, 13).why_all == opening.BY_CLASS
    say("compensable")
    assert refused(asked, user, 1).why_all == ""
    say("irreversible")
    assert refused(asked, user, 13).why_all == opening.BY_CLASS


def test_what_one_opened_opens_it_for_nobody_else(undone: None) -> None:
    asked = asked_about(LARGE)
    other = User.objects.create_user("someone@example.org", name="Someone")
    open_all(asked.pk, other)
    assert len(refused(asked, dee(asked.tenant)).left) == 13


def test_the_page_refuses_keeps_what_was_typed_and_leads_on(undone: None) -> None:
    asked = asked_about(LARGE)
    client = signed_in(dee(asked.tenant))
    html = client.get(address(asked)).content.decode()
    assert "11 parts of it are not opened yet." in html
    assert 'value="approve"' not in html
    answer = post(client, asked, "approve")
    told = answer.content.decode()
    assert answer.status_code == 409
    assert "11 parts of what you would allow were not opened by you" in told
    assert "Looks right." in told
    assert f'{address(asked, "files/2/")}"' in told
    assert "Looks right." in client.get(address(asked, "?whole=")).content.decode()
    assert post(client, asked, "approve").status_code == 302
    assert Decision.objects.get().reason == "Looks right."


def post(client: Client, asked: ApprovalRequest, verdict: str, left: str = "") -> HttpResponse:
    given = {"verdict": verdict, "shown": asked.action_hash, "reason": "Looks right."}
    return client.post(address(asked, "decision/"), {**given, "left": left})  # type: ignore[return-value]


def test_the_button_for_going_without_says_the_number_and_is_not_there_when_all_is_needed(
    undone: None,
) -> None:
    asked = asked_about(LARGE)
    client = signed_in(dee(asked.tenant))
    html = client.get(address(asked)).content.decode()
    assert '<input type="hidden" name="left" value="11">' in html
    assert post(client, asked, "approve", "11").status_code == 409  # not the button that says so
    assert post(client, asked, "approve_without", "10").status_code == 409
    assert post(client, asked, "approve_without", "11").status_code == 302
    assert "without opening 11 parts" in client.get(address(asked)).content.decode()
    must = asked_about(LARGE, requirement=ALL_OF_IT)
    html = client.get(address(must)).content.decode()
    assert 'value="approve_without"' not in html
    assert "A rule says that all of it must be opened before a yes." in html


def test_htmx_hears_of_each_opened_part_and_gets_the_button_anew(undone: None) -> None:
    asked = asked_about(git_diff(2, lines=65))
    client = signed_in(dee(asked.tenant))
    client.get(address(asked))
    news = client.get(address(asked, "files/2/"), headers={"HX-Request": "true"})
    assert news["HX-Trigger"] == "part-opened"
    button = client.get(address(asked, "standing/?approving"), headers={"HX-Request": "true"})
    assert 'value="approve"' in button.content.decode()


def test_all_files_open_on_one_long_page_count_as_opened() -> None:
    asked = asked_about(git_diff(25, lines=60))
    client = signed_in(dee(asked.tenant))
    html = client.get(address(asked, "?whole=")).content.decode()
    assert html.count("<details open") + html.count(" open>") >= 25
    assert coverage.of(asked, dee()).is_whole


def test_more_than_fits_one_long_page_opens_page_by_page() -> None:
    asked = asked_about(git_diff(450, lines=20) + git_diff(1, lines=400).replace(b"release", b"z"))
    client, pages = signed_in(dee(asked.tenant)), 0
    rest = "?whole="
    while rest:
        html = client.get(address(asked, rest)).content.decode()
        assert len(html) < 1_500_000
        found = re.search(r'rel="next" href="([^"#]+)', html)
        rest, pages = (found[1].replace("&amp;", "&") if found else ""), pages + 1
    assert pages >= 3
    assert coverage.of(asked, dee()).is_whole


def test_the_database_takes_no_other_number() -> None:
    asked = asked_about(LARGE)
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.create(
            request=asked,
            user=dee(),
            verdict="reject",
            reason="No.",
            posted_hash="0" * 64,
            unopened=1,
        )
