"""A run that cannot go on: one person writes its state, a second one allows it, and it goes on."""

import json

import pytest
from playwright.sync_api import Page, expect

from approvals.models import EditRequest
from checkpoints.models import Checkpoint
from reconciliation import verdicts
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed
from tests.execution.runs import full
from tests.journeys.conftest import SitDown
from tests.journeys.places import press

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_crash_loop_ends_with_a_state_that_two_people_stand_by(
    desk: Desk, sit_down: SitDown, *, scripts: bool
) -> None:
    slug = desk.engine.tenant.slug
    eve = sit_down(desk.author, java_script_enabled=scripts)
    dee = sit_down(desk.second, java_script_enabled=scripts)
    eve.goto(f"/t/{slug}/cases/{desk.case.pk}/")
    eve.get_by_role("link", name="Edit the state by hand").click()
    area = eve.get_by_label("The state, as JSON")
    state = json.loads(area.input_value())
    area.fill('{"amount": }')
    press(eve, "Show the difference")
    expect(eve.get_by_text("This is not strict JSON")).to_be_visible()
    expect(area).to_have_value('{"amount": }')
    eve.get_by_label("Reason").fill("The provider says seven.")
    area.fill(json.dumps({**state, "amount": 7}, indent=2))
    press(eve, "Show the difference")
    expect(eve.get_by_role("row", name="/state/amount")).to_contain_text("7")
    press(eve, "Propose it")
    expect(eve.get_by_text("You wrote it, so somebody else must decide.")).to_be_visible()
    allowed_from_the_inbox(dee, slug)
    desk.engine.turn()
    assert full(desk.run).status == "succeeded"
    dee.reload()
    expect(dee.get_by_text("It became checkpoint 2")).to_be_visible()
    dee.goto(f"/t/{slug}/runs/{desk.run.pk}/checkpoints/2/")
    expect(dee.get_by_role("heading", name="(state edited)")).to_be_visible()
    assert Checkpoint.objects.filter(run_id=desk.run.pk).count() == 3


def allowed_from_the_inbox(dee: Page, slug: str) -> None:
    dee.goto(f"/t/{slug}/inbox/?kind=edit")
    dee.get_by_role("link", name="New state for a held run: The provider says seven.").click()
    expect(dee.get_by_role("row", name="/state/amount")).to_contain_text("-1")
    expect(dee.get_by_text("tok-secret-1")).to_have_count(0)
    code = EditRequest.objects.get().edit_hash[:8]
    dee.get_by_role("button", name=f"Approve {code}").click()
    expect(dee.get_by_text("Approved. The next free worker commits it")).to_be_visible()


def test_what_was_sent_back_is_written_anew_and_a_stale_page_says_what_moved(
    desk: Desk, sit_down: SitDown
) -> None:
    slug, edit = desk.engine.tenant.slug, desk.write({"amount": 6})
    dee, eve = sit_down(desk.second), sit_down(desk.author)
    dee.goto(f"/t/{slug}/edits/{edit.pk}/")
    dee.get_by_label("Note").fill("Six is not what they say.")
    press(dee, "Send back with the note above")
    expect(dee.get_by_text("Sent back by Dee: Six is not what they say.").first).to_be_visible()
    eve.goto(f"/t/{slug}/edits/{edit.pk}/")
    eve.get_by_role("link", name="Write it anew").click()
    expect(eve.get_by_text("Six is not what they say.")).to_be_visible()
    area = eve.get_by_label("The state, as JSON")
    area.fill(area.input_value().replace("6", "7", 1))
    press(eve, "Propose it")
    second = EditRequest.objects.latest("id")
    stale = sit_down(desk.second)
    stale.goto(f"/t/{slug}/edits/{second.pk}/")
    eve.goto(f"/t/{slug}/cases/{desk.case.pk}/")
    desk_tries_again(desk)
    stale.get_by_label("Note").fill("Now it is right.")
    stale.get_by_role("button", name="Approve").click()
    expect(stale.get_by_text("has changed meanwhile")).to_be_visible()
    expect(stale.get_by_text("Nothing was changed")).to_be_visible()


def desk_tries_again(desk: Desk) -> None:
    """Somebody decides the case another way meanwhile."""
    given = verdicts.Given("try_again", "once more")
    verdicts.give(desk.case.pk, given, user=desk.author)
