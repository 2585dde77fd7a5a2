"""The page of a batch: what it lists, what one press does, what it says of the rest."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from approvals.models import ApprovalRequest, Batch, Decision
from approvals.models.together import MOST_IN_A_BATCH
from approvals.people import reversibility
from approvals.showing import coverage
from tenants.models import Tenant
from tests.approvals.asking import asked_about, git_diff, signed_in
from tests.approvals.questions import ONE, TWO, WORKER, decide, eve, make_due
from tests.opening import open_all
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db

PAGE = "/t/acme/approvals/batch/"
POST = "/t/acme/approvals/batches/"
NONCE = "00000000-0000-4000-8000-000000000007"


@pytest.fixture
def tenant() -> Tenant:
    tenant = make_tenant()
    dee(tenant)
    return tenant


def some(number: int, **more: Any) -> list[ApprovalRequest]:
    return [asked_about(git_diff(2), describe=f"Thing {n}", **more) for n in range(number)]


def page(client: Client, these: Sequence[ApprovalRequest]) -> str:
    answer = client.get(PAGE, {"r": [each.pk.hex for each in these]})
    assert answer.status_code == 200
    return answer.content.decode()


def post(client: Client, these: Sequence[ApprovalRequest], **more: Any) -> HttpResponse:
    """Dee has opened all of them."""
    for each in these:
        open_all(each.pk, dee())
    pairs = [f"{each.pk}:{each.action_hash}" for each in these]
    given = {"pair": pairs, "verdict": "approve", "reason": "", "nonce": NONCE}
    return client.post(POST, given | more)  # type: ignore[return-value]


def test_each_stands_there_with_its_hash_and_all_with_their_totals(tenant: Tenant) -> None:
    these = some(3)
    html = page(signed_in(dee()), these)
    for each in these:
        assert f"<code>{each.action_hash[:8]}</code>" in html
        assert f'name="pair" value="{each.pk}:{each.action_hash}"' in html
        assert each.describe in html
    assert "Approve these 3" in html
    assert "15 files" in html
    assert "30 lines" in html
    assert "cannot be undone" in html  # of a class that nobody named: the worst
    assert "Replace percent formats" in html


def test_one_press_decides_each_and_says_so(tenant: Tenant) -> None:
    these, client = some(3), signed_in(dee())
    answer = post(client, these)
    assert answer.status_code == 302
    html = client.get(answer["Location"]).content.decode()
    assert "3 of 3 approved" in html
    assert html.count("Your answer decided it.") == 3
    assert set(ApprovalRequest.objects.values_list("state", flat=True)) == {"approved"}


def test_what_was_decided_meanwhile_is_named_with_who(tenant: Tenant) -> None:
    these, client = some(2), signed_in(dee())
    html = page(client, these)
    decide(these[0], eve(tenant), "reject", "Too many.")
    shown = re.findall(r'name="pair" value="([^"]+)"', html)
    answer = client.post(POST, {"pair": shown, "verdict": "approve", "nonce": NONCE})
    told = client.get(answer["Location"]).content.decode()
    assert "1 of 2 approved" in told
    assert "Left out, and why" in told
    assert "Eve rejected it before you pressed: “Too many.” Nothing was sent." in told


def test_the_same_press_twice_leads_to_the_same_page(tenant: Tenant) -> None:
    these, client = some(2), signed_in(dee())
    first, second = post(client, these), post(client, these)
    assert first["Location"] == second["Location"]
    assert Decision.objects.count() == 2
    assert Batch.objects.count() == 1


def test_nothing_is_decided_without_the_hash_of_a_page(tenant: Tenant) -> None:
    these, client = some(2), signed_in(dee())
    for pairs in (
        [str(these[0].pk)],
        [f"{these[0].pk}:"],
        [f"{these[0].pk}:{these[0].action_hash[:8]}"],
        [f"{these[0].pk}:{these[0].action_hash}", f"{these[1].pk}:"],
        [f"nonsense:{these[0].action_hash}"],
        [f"{these[0].pk}:{these[0].action_hash}"] * 2,
        [],
    ):
        answer = client.post(POST, {"pair": pairs, "verdict": "approve", "nonce": NONCE})
        assert answer.status_code == 422
    assert not Decision.objects.exists()


def test_a_form_without_a_pressed_button_or_a_reason_decides_nothing(tenant: Tenant) -> None:
    these, client = some(2), signed_in(dee())
    unpressed = post(client, these, verdict="")
    assert "Press one of the buttons: nothing was decided." in unpressed.content.decode()
    silent = post(client, these, verdict="reject", reason=" ")
    assert silent.status_code == 422
    assert "Say why" in silent.content.decode()
    assert silent.content.decode().count('name="pair"') == 2
    assert not Decision.objects.exists()


def test_what_is_not_yours_is_no_part_of_it_and_says_why(tenant: Tenant) -> None:
    fine, over, closed, answered = some(4, requirement=TWO)
    make_due(over)
    decide(closed, eve(tenant), "reject", "No.")
    decide(answered, dee())
    html = page(signed_in(dee()), [fine, over, closed, answered])
    assert "Decide 1 action" in html
    assert html.count('name="pair"') == 1
    assert "Its time is over." in html
    assert "You have answered it." in html
    assert "Eve" in html
    own = page(signed_in(ada(tenant)), [fine])
    assert "Nothing here is yours to decide" in own
    assert "You started this run" in own


def test_more_than_fits_is_counted_and_never_decided(tenant: Tenant) -> None:
    client = signed_in(dee())
    many = [f"{'0' * 20}{n:012x}" for n in range(MOST_IN_A_BATCH + 3)]
    html = client.get(PAGE, {"r": many}).content.decode()
    assert "At most 100 at once: 3 that you chose are not here." in html
    assert "100 that you chose are not questions of this tenant." in html
    [one] = some(1)
    pairs = [f"{one.pk}:{one.action_hash}"] + [f"{'0' * 20}{n:012x}:{'0' * 64}" for n in range(100)]
    answer = client.post(POST, {"pair": pairs, "verdict": "approve", "nonce": NONCE})
    assert answer.status_code == 422
    assert not Decision.objects.exists()


def test_a_batch_is_closed_to_all_but_those_who_decide(tenant: Tenant) -> None:
    these = some(1)
    elsewhere = asked_about(git_diff(1), tenant=make_tenant("other"))
    for user, status in ((cy(), 404), (bob(tenant), 403)):
        assert signed_in(user).get(PAGE).status_code == status
        assert post(signed_in(user), these).status_code == status
    assert post(Client(), these).status_code == 401
    assert post(signed_in(dee()), [*these, elsewhere]).status_code == 404
    assert signed_in(dee()).get(POST).status_code == 405
    assert not Decision.objects.exists()


def test_what_became_of_a_batch_is_told_to_whoever_decided(tenant: Tenant) -> None:
    address = post(signed_in(dee()), some(1))["Location"]
    assert signed_in(eve(tenant)).get(address).status_code == 404
    assert signed_in(cy()).get(address).status_code == 404
    assert signed_in(dee()).get(address).status_code == 200


def test_more_questions_cost_no_more_queries(tenant: Tenant) -> None:
    client, these = signed_in(dee()), some(12)
    assert _queries(client, these[:2]) == _queries(client, these)


def _queries(client: Client, these: Sequence[ApprovalRequest]) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(client, these)
    return len(captured)


def large() -> ApprovalRequest:
    return asked_about(git_diff(12, lines=40))


def test_small_changes_stand_whole_in_the_list_and_count_as_opened(tenant: Tenant) -> None:
    these, client = [*some(2), large()], signed_in(dee())
    html = page(client, these)
    assert html.count("The whole change: ") == 2
    assert html.count("new_1 = f&#x27;y&#x27;") == 4
    assert "CI and hooks" in html
    assert "13 parts not opened: open them" in html
    assert "Approve these 2" in html
    assert "1 is left out of a yes: you have not opened all of it." in html
    assert coverage.of(these[0], dee()).is_whole
    assert not coverage.of(these[2], dee()).opened_parts


def test_what_is_not_opened_is_left_out_and_named(tenant: Tenant) -> None:
    these, client = [*some(1), large()], signed_in(dee())
    page(client, these)
    told = batch_of(client, these, "approve")
    assert "1 of 2 approved" in told
    assert "13 parts of what you would allow were not opened by you" in told
    assert ".github/workflows/release.yml" in told
    these[1].refresh_from_db()
    assert these[1].state == "open"


def test_going_without_holds_for_what_can_be_undone_and_for_nothing_else(tenant: Tenant) -> None:
    say = reversibility.set_class
    say(tenant, "git.push", "reversible", actor=WORKER, why="Another push takes it back.")
    gone = replace(ONE, open_all=True)
    these = [*some(1), large(), asked_about(git_diff(12, lines=40), requirement=gone)]
    client = signed_in(dee())
    html = page(client, these)
    assert re.findall(r'name="left" value="([^"]+)"', html) == [f"{these[1].pk}:13"]
    assert "Approve 2, 13 parts not opened" in html
    told = batch_of(client, these, "approve_without", left=[f"{each.pk}:13" for each in these[1:]])
    assert "2 of 3 approved" in told
    assert "A rule says that all of it must be opened" in told
    assert dict(Decision.objects.values_list("request_id", "unopened")) == {
        these[0].pk: 0,
        these[1].pk: 13,
    }


def batch_of(client: Client, these: Sequence[ApprovalRequest], verdict: str, **more: Any) -> str:
    pairs = [f"{each.pk}:{each.action_hash}" for each in these]
    answer = client.post(POST, {"pair": pairs, "verdict": verdict, "nonce": NONCE, **more})
    assert answer.status_code == 302
    return client.get(answer["Location"]).content.decode()


def test_a_list_fetched_ahead_opens_nothing(tenant: Tenant) -> None:
    these = some(2)
    asking = "&".join(f"r={each.pk}" for each in these)
    signed_in(dee()).get(f"{PAGE}?{asking}", headers={"Sec-Purpose": "prefetch"})
    assert not coverage.of(these[0], dee()).opened_parts
