"""A run on hold goes on in a fork, with newer code: asked once, done once, and never twice."""

import pytest
from playwright.sync_api import expect

from checkpoints.models import Case, Fork
from tests.browser import violations
from tests.engine import registry as agents
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.forks.test_making import newer
from tests.execution.forks.ways import done, forked, held
from tests.execution.runs import full, waiting
from tests.journeys.conftest import SitDown
from tests.journeys.places import asked_for, press

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_held_run_goes_on_in_a_fork_on_newer_code_and_its_effect_is_there_once(
    engine: Bench, sit_down: SitDown, monkeypatch: pytest.MonkeyPatch, *, scripts: bool
) -> None:
    source = held(waiting(engine))
    monkeypatch.setattr(agents, "manifest", newer)
    slug, ada = engine.tenant.slug, sit_down(engine.starter, java_script_enabled=scripts)
    ada.goto(f"/t/{slug}/cases/{Case.objects.get().pk}/")
    ada.get_by_role("link", name="Fork the run").click()
    expect(ada.get_by_text("Its code is not installed here")).to_be_visible()
    ada.get_by_role("radio", name="Checkpoint 2").check()
    press(ada, "Show what would happen")
    expect(ada.get_by_text("1 needs an approval.")).to_be_visible()
    ada.get_by_label("Reason").fill("The new code reads the answer.")
    press(ada, "Fork from checkpoint 2: 0 effects sent again")
    expect(ada.get_by_text("This is the new run; the other stays as it is.")).to_be_visible()
    run = Fork.objects.get().run
    assert full(run).combo != full(source).combo
    engine.turn()
    dee = sit_down(engine.approver, java_script_enabled=scripts)
    dee.goto(f"/t/{slug}/approvals/{asked_for(run).pk}/")
    press(dee, "Approve")
    expect(dee.get_by_text("Dee approved this.")).to_be_visible()
    engine.turn()
    ada.goto(f"/t/{slug}/runs/{run.pk}/")
    expect(ada.get_by_text("Forked from checkpoint 2 of another run")).to_be_visible()
    assert full(run).status == "succeeded"
    assert full(source).status == "held"
    assert len(effects()) == 1


def test_a_second_fork_takes_over_and_the_page_says_so(engine: Bench, sit_down: SitDown) -> None:
    source = done(engine)
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/runs/{source.pk}/")
    page.get_by_role("link", name="Fork this run").click()
    expect(page.get_by_text("1 is reused.")).to_be_visible()
    assert violations(page) == []
    page.get_by_label("Reason").fill("Once more.")
    press(page, "Fork from checkpoint")
    expect(page.get_by_text("This is the new run")).to_be_visible()
    engine.turn()
    page.reload()
    expect(page.get_by_text("Taken over from others, not sent again")).to_be_visible()
    assert violations(page) == []
    assert len(effects()) == 1


def test_two_who_fork_at_once_are_told_of_each_other(engine: Bench, sit_down: SitDown) -> None:
    source = done(engine)
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/runs/{source.pk}/fork/?seq=2&chosen=on")
    forked(engine, source, 2)
    page.get_by_label("Reason").fill("Mine.")
    press(page, "Fork from checkpoint 2")
    expect(page.get_by_text("Something moved since this page was made")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("Mine.")
    assert Fork.objects.count() == 1
    press(page, "Fork from checkpoint 2")
    expect(page.get_by_text("This is the new run")).to_be_visible()
