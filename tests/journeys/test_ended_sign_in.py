"""A sign-in that ends in the middle of approving: nothing is decided, nothing typed is lost."""

import re

import pytest
from playwright.sync_api import expect

from approvals.models import Decision
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, press, waiting_run

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery staple"


def test_an_ended_sign_in_says_so_and_leads_back_to_the_question(
    engine: Bench, sit_down: SitDown
) -> None:
    engine.approver.set_password(PASSWORD)
    engine.approver.save()
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    page.get_by_label("Reason").fill("I have looked at every line.")
    page.context.clear_cookies(name="kedge_session")
    press(page, "Approve")
    expect(page.get_by_text("Nothing was done and nothing was decided.")).to_be_visible()
    expect(page.get_by_text("I have looked at every line.")).to_be_visible()
    assert not Decision.objects.exists()
    page.get_by_role("link", name="Sign in again and come back").click()
    page.get_by_label("Email").fill(engine.approver.email)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign in")
    expect(page).to_have_url(re.compile(re.escape(approval_page(asked))))
    press(page, "Approve")
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    assert Decision.objects.filter(request=asked).count() == 1
