"""People of another tenant, who may do everything there: here all is refused them, and shows nowhere."""

from typing import Final

import pytest
from django.db.models import Model, QuerySet

from approvals import decisions
from approvals.decisions import Given
from approvals.errors import NotPermittedError
from approvals.models import ApprovalRequest
from checkpoints.models import Case, Run
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.models import Tenant
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import signed_in

PAGES: Final = ("", "inbox/", "runs/?window=all", "actions/", "search/?q={}")


def may_do_nothing(there: Bench, run: Run) -> None:
    """Each verb about a run of somebody else, under its own address and under theirs."""
    asking, was = signed_in(there.approver), _rows(run)
    ways = [f"runs/{run.pk}/{verb}/" for verb in ("cancellation", "revocation")]
    ways += [f"cases/{case.pk}/verdicts/" for case in Case.objects.filter(run=run)]
    for slug in (run.tenant.slug, there.tenant.slug):
        for way in ways:
            answer = asking.post(f"/t/{slug}/{way}", {"reason": "mine", "verdict": "go_on"})
            assert answer.status_code == 404, f"a stranger posted to {way}"
    for request in ApprovalRequest.objects.filter(run=run):
        given = Given("reject", "mine", request.action_hash)
        with pytest.raises(NotPermittedError):
            decisions.decide(
                request.pk, given, actor=Actor.person(there.approver), user=there.approver
            )
    assert _rows(run) == was, "a stranger moved something"


def see_nothing(there: Bench, here: Tenant) -> None:
    """What is of this tenant stands on no page of the other's."""
    asking = signed_in(there.approver)
    runs = Run.objects.filter(tenant=here)
    marks = [str(mark) for pair in runs.values_list("pk", "business_key") for mark in pair]
    marks += map(str, Action.objects.filter(tenant=here).values_list("pk", flat=True))
    for page in PAGES:
        for mark in marks[:1] if "{}" in page else [""]:
            answer = asking.get(f"/t/{there.tenant.slug}/{page.format(mark)}")
            assert answer.status_code == 200, page
            said = answer.content.decode().replace(mark, "") if mark else answer.content.decode()
            assert [each for each in marks if each in said] == [], f"a foreign row on {page}"
            assert asking.get(f"/t/{here.slug}/{page.format(mark)}").status_code == 404


def _rows(run: Run) -> list[dict[str, object]]:
    found: list[QuerySet[Model]] = [
        Run.objects.filter(pk=run.pk),
        Case.objects.filter(run=run).order_by("pk"),
        ApprovalRequest.objects.filter(run=run).order_by("pk"),
    ]
    return [row for each in found for row in each.values()]
