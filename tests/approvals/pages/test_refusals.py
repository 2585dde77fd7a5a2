"""A decision that was not counted: the page says what moved, field by field, and what now."""

import pytest

from approvals.models import ApprovalRequest
from checkpoints.models import Run
from tenants.models import AuditRow
from tests.approvals.asking import address, git_diff, question, signed_in
from tests.approvals.questions import ask, make_run
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db


def asked_twice(first: bytes, second: bytes) -> tuple[ApprovalRequest, ApprovalRequest]:
    """A question, and the one that replaced it about the same action."""
    run: Run = make_run(make_tenant())
    before = question(run, first)
    after = question(run, second, action_id=before.bound.action_id)
    return ask(before), ask(after)


def test_the_three_way_page_names_the_files_that_differ_and_leads_to_what_stands() -> None:
    saw, now = asked_twice(git_diff(3), git_diff(3).replace(b"new_1", b"other_1", 1))
    client = signed_in(dee(make_tenant()))
    given = {"verdict": "approve", "shown": saw.action_hash, "reason": "Read it all."}
    answer = client.post(address(saw, "decision/"), given)
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "What would happen has changed since your page was made" in html
    assert "The change as shown" in html
    assert ".github/workflows/release.yml" in html
    assert "src/module_0.py" not in html
    assert address(now) in html
    assert address(saw) in html
    assert "Read it all." in html
    now.refresh_from_db()
    assert now.state == "open"


def test_the_page_of_a_replaced_question_leads_to_the_new_one() -> None:
    saw, now = asked_twice(git_diff(1), git_diff(2))
    html = signed_in(dee(make_tenant())).get(address(saw)).content.decode()
    assert "Open the question that stands now" in html
    assert address(now) in html


def test_a_refused_own_approval_is_on_record() -> None:
    acme = make_tenant()
    asked = ask(question(make_run(acme), git_diff(1)))
    given = {"verdict": "approve", "shown": asked.action_hash}
    assert signed_in(ada(acme)).post(address(asked, "decision/"), given).status_code == 403
    row = AuditRow.objects.get(verb="refused_decide")
    assert row.detail == {"code": "own_run"}
    assert row.actor_name == "Ada"
