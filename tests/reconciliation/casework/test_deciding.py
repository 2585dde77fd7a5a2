"""Deciding where others work too: it is asked first, nothing typed is lost, the filter is kept."""

import pytest
from django.test import Client

from approvals import onward
from checkpoints.desk import working
from checkpoints.models import Case, Claim, Verdict
from tenants.models import Tenant, User
from tests.people import ada, eve, make_tenant
from tests.reconciliation.deskwork import held, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

INBOX = "/t/acme/inbox/"
GIVEN = {"verdict": "try_again", "reason": "It was the disk."}


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


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


def test_a_verdict_beside_the_claim_of_another_asks_first_and_keeps_what_was_written(
    tenant: Tenant, first: User, second: User
) -> None:
    case = held(tenant, "crash_loop")
    working.claim(case.pk, user=first)
    client = signed_in(second)
    answer = client.post(address(case, "verdicts/"), GIVEN)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "Ada has claimed this since" in html
    assert "It was the disk." in html
    assert "Take over from Ada: Try again" in html
    assert not Verdict.objects.exists()
    assert Claim.objects.get(ended="").holder == first
    client.post(address(case, "verdicts/"), {**GIVEN, "over": Claim.objects.get().pk})
    assert Verdict.objects.get().given_by == second
    assert list(Claim.objects.order_by("id").values_list("ended", flat=True)) == [
        "taken_over",
        "settled",
    ]


def test_a_refused_verdict_takes_nothing_over(tenant: Tenant, first: User, second: User) -> None:
    case = held(tenant, "crash_loop")
    working.claim(case.pk, user=first)
    given = {**GIVEN, "reason": " ", "over": Claim.objects.get().pk}
    assert signed_in(second).post(address(case, "verdicts/"), given).status_code == 422
    assert Claim.objects.get().holder == first


def test_the_page_of_the_holder_says_nothing_of_taking_over(tenant: Tenant, first: User) -> None:
    case = held(tenant, "crash_loop")
    working.claim(case.pk, user=first)
    assert "Take over" not in html_of(signed_in(first), address(case))


def test_the_inbox_says_who_claimed_how_old_and_for_whom_it_waits(
    tenant: Tenant, first: User, second: User
) -> None:
    case = held(tenant, "crash_loop")
    working.claim(case.pk, user=first)
    working.wait_outside(case.pk, party="the bank", why="They look.", user=first)
    html = html_of(signed_in(second), INBOX)
    for told in ("claimed by Ada", "of 4 h", "stands still", "waits for the bank"):
        assert told in html
    assert "claimed by you" in html_of(signed_in(first), INBOX)


def test_the_filters_by_work_show_their_cases_and_what_they_hide(
    tenant: Tenant, first: User
) -> None:
    mine, free = held(tenant, "crash_loop"), held(tenant, "unmigratable")
    working.claim(mine.pk, user=first)
    client = signed_in(first)
    html = html_of(client, f"{INBOX}?kind=mine")
    assert address(mine) in html
    assert address(free) not in html
    assert "1 more is hidden by your filter." in html
    assert address(free) in html_of(client, f"{INBOX}?kind=unclaimed")


def test_what_is_sent_and_not_yet_proven_has_its_own_filter(tenant: Tenant, first: User) -> None:
    case = held(tenant, "crash_loop")
    client = signed_in(first)
    client.post(address(case, "verdicts/"), GIVEN)
    html = html_of(client, f"{INBOX}?kind=unproven")
    assert address(case) in html
    assert "Sent, not yet proven" in html
    assert "nobody: the run has to prove it" in html
    assert "Sent, not yet proven" in html_of(client, address(case))


def test_next_skips_what_others_have_claimed(tenant: Tenant, first: User, second: User) -> None:
    theirs, free = held(tenant, "crash_loop"), held(tenant, "crash_loop")
    working.claim(theirs.pk, user=first)
    going = signed_in(second).get(f"{INBOX}next/")["Location"]
    assert going == f"{address(free)}?onward=1"
    assert signed_in(first).get(f"{INBOX}next/")["Location"].startswith(address(theirs))


def test_decide_and_next_keeps_the_filter(tenant: Tenant, first: User) -> None:
    held(tenant, "crash_loop")
    mine = [held(tenant, "unmigratable") for _ in range(3)]
    for case in mine[:2]:
        working.claim(case.pk, user=first)
    client = signed_in(first)
    going = client.get(f"{INBOX}next/?kind=mine")["Location"]
    assert going == f"{address(mine[0])}?onward=mine"
    html = html_of(client, going)
    assert f"/next/?kind=mine&amp;after={mine[0].pk}" in html
    answer = client.post(address(mine[0], "verdicts/"), {**GIVEN, "onward": "mine"})
    assert answer["Location"] == f"{INBOX}next/?kind=mine"
    assert client.get(answer["Location"])["Location"].startswith(address(mine[1]))


@pytest.mark.parametrize(
    ("given", "meant"), [("", ""), ("1", "1"), ("on", "1"), ("mine", "mine"), ("a/../b", "1")]
)
def test_only_a_word_is_carried_on(rf: object, given: str, meant: str) -> None:
    request = rf.get("/", {"onward": given})  # type: ignore[attr-defined]
    assert onward.of(request) == meant
