"""Where things are in the browser, and what lies behind a page."""

from playwright.sync_api import Page

from approvals import requests
from approvals.models import ApprovalRequest
from checkpoints.models import Run
from reconciliation.models import Action
from tests.engine.turns import Bench


def asked_for(run: Run) -> ApprovalRequest:
    """The newest request of the run's open action."""
    action = Action.objects.get(run=run, absorbed_seq=None)
    request = requests.latest(action.pk)
    assert request is not None
    return request


def waiting_run(engine: Bench, tool: str = "fake.void", what: str = "a") -> Run:
    """A run that asks whether it may write into the fake world."""
    run = engine.start(tool=tool, what=what)
    engine.turn()
    return run


def approval_page(request: ApprovalRequest) -> str:
    return f"/t/{request.tenant.slug}/approvals/{request.pk}/"


def inbox_page(engine: Bench) -> str:
    return f"/t/{engine.tenant.slug}/inbox/"


def press(page: Page, name: str) -> None:
    """Press a button by the beginning of its words."""
    page.get_by_role("button", name=name).first.click()
