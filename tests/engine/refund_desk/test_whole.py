"""The refund desk under the whole engine: four effects, each once, each with its own yes."""

import pytest

from approvals.errors import NotPermittedError
from canonical.digests import sha256_hex
from canonical.json import loads_object
from checkpoints import reading
from checkpoints.models import Case, Event, Run
from reconciliation.models import Action, Receipt
from tests.engine.refund_desk.desks import Desk
from tests.execution.pages.visits import page_of, signed_in, words
from tests.servers.shop import MAIL, NAME, SAID

pytestmark = pytest.mark.django_db(transaction=True)
EVERYTHING = ["book_refund", "store_refund", "answer_ticket", "send_mail"]


def settled(run: Run) -> list[tuple[str, str]]:
    found = Action.objects.filter(run=run).order_by("proposed_seq")
    return list(found.values_list("tool", "outcome"))


def test_each_effect_is_asked_for_and_happens_once(desk: Desk) -> None:
    purchase = desk.shop.sell()
    ticket = desk.shop.ticket(purchase)
    run = desk.begin(ticket)
    assert desk.shop.paid_back(purchase) == []
    desk.approve(run)
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert settled(run) == [(tool, "happened") for tool in EVERYTHING]
    assert desk.shop.paid_back(purchase) == [4_000]
    (document,) = desk.shop.documents(ticket).values()
    assert loads_object(document)["purchase"] == purchase
    seen = desk.shop.see(ticket)
    assert "40.00 EUR" in seen["answer"]
    (mail,) = desk.mails()
    assert mail.to == MAIL
    assert reading.verify_run(run) == []
    assert not Case.objects.filter(run=run).exists()


def test_what_left_is_what_was_approved(desk: Desk) -> None:
    run = desk.begin(desk.shop.ticket(desk.shop.sell()))
    desk.approve(run)
    digests = [
        (sha256_hex(bytes(each.action.parameters)), each.wire_digest)
        for each in Receipt.objects.filter(action__run=run).select_related("action")
    ]
    assert len(digests) == 4
    assert all(approved == left for approved, left in digests)


def test_the_dry_run_shows_both_entries_and_leaves_none(desk: Desk) -> None:
    purchase = desk.shop.sell()
    run = desk.begin(desk.shop.ticket(purchase))
    shown = loads_object(bytes(desk.asked(run).diff))
    assert shown["before"]["Entries of this purchase"] == []
    assert shown["after"]["Entries of this purchase"] == [
        {"account": "refunds", "cents": 4_000},
        {"account": "bank", "cents": -4_000},
    ]
    assert shown["after"]["Purchase"][0]["refunded"] == 4_000
    assert desk.shop.rows("SELECT 1 FROM entry WHERE purchase = %s", purchase) == []


def test_a_rejected_booking_ends_the_run_and_nothing_stands(desk: Desk) -> None:
    purchase = desk.shop.sell()
    run = desk.begin(desk.shop.ticket(purchase))
    desk.say(run, "reject")
    desk.turn(run)
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("failed", "rejected")
    assert desk.shop.paid_back(purchase) == []
    assert desk.mails() == []


def test_a_rejected_answer_leaves_ticket_and_money_as_they_are(desk: Desk) -> None:
    purchase = desk.shop.sell()
    ticket = desk.shop.ticket(purchase)
    run = desk.begin(ticket)
    desk.approve(run, until="answer_ticket")
    desk.say(run, "reject")
    desk.turn(run)
    assert desk.asked(run).tool == "send_mail"
    assert desk.shop.see(ticket)["answer"] is None
    assert desk.shop.paid_back(purchase) == [4_000]


def test_a_ticket_that_moved_before_the_booking_is_read_again(desk: Desk) -> None:
    purchase = desk.shop.sell()
    ticket = desk.shop.ticket(purchase)
    run = desk.begin(ticket)
    desk.shop.change(ticket, cents=2_500)
    desk.say(run)
    desk.turn(run)
    assert desk.shop.paid_back(purchase) == []
    asked = desk.asked(run)
    assert loads_object(bytes(asked.diff))["after"]["Purchase"][0]["refunded"] == 2_500
    assert Event.objects.filter(run_id=run.id, what="read again").exists()
    desk.approve(run)
    assert desk.shop.paid_back(purchase) == [2_500]


def test_a_purchase_that_moved_before_the_booking_holds_the_run(desk: Desk) -> None:
    purchase = desk.shop.sell()
    run = desk.begin(desk.shop.ticket(purchase))
    desk.shop.rows("UPDATE purchase SET refunded = 9000 WHERE id = %s RETURNING 1", purchase)
    desk.say(run)
    desk.turn(run)
    run.refresh_from_db()
    assert (run.status, Case.objects.get(run=run).kind) == ("held", "world_changed")
    assert desk.shop.paid_back(purchase) == []


def test_a_ticket_that_moved_under_the_answer_is_not_overwritten(desk: Desk) -> None:
    """Nothing is sent for a version that is gone; a person looks, and the run reads it again."""
    ticket = desk.shop.ticket(desk.shop.sell())
    run = desk.begin(ticket)
    desk.approve(run, until="answer_ticket")
    desk.shop.change(ticket, said="I changed my mind.")
    desk.say(run)
    desk.turn(run)
    run.refresh_from_db()
    assert "the object is at version" in run.sentence
    assert desk.shop.see(ticket)["answer"] is None
    Run.objects.filter(pk=run.pk).update(node_failures=8)
    desk.turn_later(run)
    assert (run.status, Case.objects.get(run=run).kind) == ("held", "world_changed")
    answer = Action.objects.get(run=run, tool="answer_ticket")
    assert answer.attempts.count() == 0


def test_more_than_a_hundred_euros_take_two_people(desk: Desk) -> None:
    purchase = desk.shop.sell(paid=60_000)
    run = desk.begin(desk.shop.ticket(purchase, 50_000))
    desk.say(run)
    asked = desk.asked(run)  # still open: one yes is not enough
    assert asked.requirement["approvers"] == 2
    desk.say(run, user=desk.second)
    desk.turn(run)
    assert desk.shop.paid_back(purchase) == [50_000]


def test_who_started_it_is_no_second_person(desk: Desk) -> None:
    run = desk.begin(desk.shop.ticket(desk.shop.sell(paid=60_000), 50_000))
    desk.say(run)
    with pytest.raises(NotPermittedError):
        desk.say(run, user=desk.bench.starter)


def test_above_the_ceiling_the_rule_refuses_whoever_would_approve(desk: Desk) -> None:
    purchase = desk.shop.sell(paid=300_000)
    run = desk.begin(desk.shop.ticket(purchase, 200_000))
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("failed", "forbidden_effect")
    assert "too-much-for-the-desk" in run.sentence
    assert desk.shop.paid_back(purchase) == []


def test_above_what_the_manifest_allows_nothing_is_even_proposed(desk: Desk) -> None:
    run = desk.begin(desk.shop.ticket(desk.shop.sell(paid=900_000), 800_000))
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("failed", "forbidden_effect")
    assert "its manifest forbids" in run.sentence
    assert not Action.objects.filter(run=run).exists()


def test_the_customer_is_on_no_page(desk: Desk) -> None:
    run = desk.begin(desk.shop.ticket(desk.shop.sell()))
    for until in [*EVERYTHING[1:], ""]:
        client = signed_in(desk.bench.approver)
        pages = ["", *[f"checkpoints/{seq}/" for seq in range(1, 5)]]
        seen = [client.get(page_of(desk.bench, run, rest)) for rest in pages]
        asked = desk.asked(run)
        seen.append(client.get(f"/t/{desk.bench.tenant.slug}/approvals/{asked.pk}/"))
        for page in seen:
            assert page.status_code == 200
            said = words(page)
            assert not any(private in said for private in (NAME, MAIL, SAID, "Bent fluke"))
        desk.approve(run, until=until)
    stored = b"".join(bytes(each.parameters) for each in Action.objects.filter(run=run))
    assert MAIL.encode() not in stored
    assert desk.mails()[0].to == MAIL
