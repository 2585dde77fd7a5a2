"""After a refund the customer is written to again: the ticket's, and that of the desk's own mail."""

import email
from email import policy
from pathlib import Path
from uuid import UUID

import pytest
from django.http import QueryDict

from checkpoints import erasures
from checkpoints.models import Run
from execution.plans import drafting, sources
from execution.plans.drafting import Draft
from execution.plans.models import Plan, PlanItem
from reconciliation.models import Action
from tenants.actors import Actor
from tests.engine.refund_desk.desks import Desk
from tests.execution.plans.held import carried, started, totals
from tests.servers.shop import MAIL

pytestmark = pytest.mark.django_db(transaction=True)
SAY = "The amount was wrong; you will hear from us."


@pytest.fixture
def refunded(desk: Desk) -> Run:
    """A refund that is made: the money, and the mail to the customer."""
    run = desk.begin(desk.shop.ticket(desk.shop.sell()))
    desk.approve(run)
    return run


def mail_of(run: Run) -> UUID:
    return Action.objects.get(run=run, tool="send_mail").pk


def body_of(letter: Path) -> str:
    read = email.message_from_bytes(letter.read_bytes(), policy=policy.default)
    return str(read.get_content())


def planned(desk: Desk, run: Run, say: str = SAY) -> Plan:
    ids = Action.objects.filter(run=run, tool__in=["book_refund", "send_mail"]).values_list("pk")
    query = QueryDict("&".join(["from=actions", *(f"id={pk}" for (pk,) in ids)]))
    chosen = sources.chosen(desk.bench.tenant, query)
    wanted = Draft("follow_up", "wrong amount", chosen.about, chosen.targets, {"say": say}, 6_000)
    return drafting.draft(desk.bench.tenant, wanted, user=desk.bench.starter)


def follow_ups() -> list[Run]:
    return list(Run.objects.filter(task_type__startswith="write_").order_by("task_type"))


def test_the_customer_is_written_to_by_runs_of_their_own(desk: Desk, refunded: Run) -> None:
    first = [mail.to for mail in desk.mails()]
    plan = carried(started(planned(desk, refunded), desk.bench.starter))
    assert totals(plan) == {"done": 2}
    assert [mail.to for mail in desk.mails()] == first
    for run in follow_ups():
        run.refresh_from_db()
        if run.status == "queued":  # else a turn that was meant for another has taken it
            desk.turn(run)
        desk.approve(run)
        run.refresh_from_db()
        assert run.status == "succeeded"
    assert [mail.to for mail in desk.mails()] == [MAIL, MAIL, MAIL]
    assert sum(SAY in body_of(path) for path in (desk.letters / "new").iterdir()) == 2


def test_an_address_that_is_personal_is_kept_encrypted_and_goes_with_its_person(
    desk: Desk, refunded: Run
) -> None:
    carried(started(planned(desk, refunded), desk.bench.starter))
    kept = b"".join(bytes(run.input) for run in follow_ups())
    assert SAY.encode() in kept
    assert MAIL.encode() not in kept
    erasures.erase(desk.bench.tenant, "c-7", actor=Actor.machine("test"), reason="asked for it")
    later = PlanItem.objects.filter(plan=planned(desk, refunded, say="And more."))
    assert later.get(action_id=mail_of(refunded)).code == "cannot_be_followed"
