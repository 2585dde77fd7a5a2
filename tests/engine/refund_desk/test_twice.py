"""The careless variant refunds twice, as far as the agent goes. What stops it is not the agent.

The second booking is another effect, with a key and a question of its own: the first yes is used up
and covers nothing more, the rules ask two people who proved who they are, and a third is refused.
"""

import pytest

from approvals.errors import ProofNeededError
from approvals.models import ApprovalRequest
from canonical.json import loads_object
from checkpoints.models import Run
from reconciliation.models import Action
from tests.engine.refund_desk.desks import Desk
from tests.execution.pages.visits import signed_in, words
from tests.people import dee

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def purchase(desk: Desk) -> str:
    """A purchase of which the books would pay back much more than once."""
    return desk.shop.sell(paid=90_000)


@pytest.fixture
def second(desk: Desk, purchase: str) -> Run:
    """A run of the careless variant whose first refund is booked, and that asks for another."""
    run = desk.begin(desk.shop.ticket(purchase), variant="careless")
    desk.say(run)
    desk.turn(run)
    assert desk.shop.paid_back(purchase) == [4_000]
    return run


def test_the_second_refund_is_an_effect_of_its_own_that_waits(desk: Desk, second: Run) -> None:
    first, again = Action.objects.filter(run=second).order_by("proposed_seq")
    assert (first.tool, again.tool) == ("book_refund", "book_refund")
    assert bytes(first.key) != bytes(again.key)
    assert (first.stands, again.stands, again.attempts.count()) == ("settled", "proposed", 0)


def test_the_first_yes_is_used_up_and_covers_nothing_more(
    desk: Desk, second: Run, purchase: str
) -> None:
    used, asked = ApprovalRequest.objects.filter(run=second).order_by("asked_at")
    assert (used.state, asked.state) == ("used", "open")
    assert used.action_hash != asked.action_hash
    desk.turn_later(second)  # nobody answered: however often it is woken, nothing leaves
    desk.turn_later(second)
    assert desk.shop.paid_back(purchase) == [4_000]


def test_the_page_shows_the_first_refund_beside_the_second(desk: Desk, second: Run) -> None:
    asked = desk.asked(second)
    shown = loads_object(bytes(asked.diff))
    assert [it["number"] for it in shown["before"]["Refunds of this ticket"]] == [1]
    assert [it["number"] for it in shown["after"]["Refunds of this ticket"]] == [1, 2]
    page = signed_in(dee(desk.bench.tenant)).get(
        f"/t/{desk.bench.tenant.slug}/approvals/{asked.pk}/"
    )
    said = words(page)
    assert "as refund no. 2 of ticket" in said
    assert "Refunds of this ticket: 1 → 2" in said
    assert "Needed 0 of 2 yes" in said
    assert "a-second-refund-takes-two" in asked.requirement["rules"]


def test_one_person_or_one_without_proof_is_not_enough(
    desk: Desk, second: Run, purchase: str
) -> None:
    with pytest.raises(ProofNeededError):
        desk.say(second)
    desk.say(second, proved=True)
    assert desk.asked(second).state == "open"
    desk.turn_later(second)
    assert desk.shop.paid_back(purchase) == [4_000]


def test_a_no_leaves_the_first_refund_alone(desk: Desk, second: Run, purchase: str) -> None:
    desk.say(second, "reject")
    desk.turn(second)
    assert (second.status, second.stop_reason) == ("failed", "rejected")
    assert "as refund no. 1 of ticket" in second.sentence  # what stands is said
    assert desk.shop.paid_back(purchase) == [4_000]


def test_two_people_may_pay_twice_and_nobody_three_times(
    desk: Desk, second: Run, purchase: str
) -> None:
    desk.say(second, proved=True)
    desk.say(second, user=desk.second, proved=True)
    desk.turn(second)
    assert desk.shop.paid_back(purchase) == [4_000, 4_000]
    assert (second.status, second.stop_reason) == ("failed", "forbidden_effect")
    assert "no-third-refund" in second.sentence


def test_the_books_have_the_last_word(desk: Desk) -> None:
    """What the rules let through, the books of a shop need not."""
    purchase = desk.shop.sell(paid=6_000)
    run = desk.begin(desk.shop.ticket(purchase), variant="careless")
    desk.say(run)
    desk.turn(run)
    assert "nobody_gets_back_more_than_they_paid" in run.sentence
    assert desk.shop.paid_back(purchase) == [4_000]
