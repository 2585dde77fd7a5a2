"""The desk of a case: which verdicts are offered, and when the ones about absence may be given."""

import pytest

from checkpoints import states
from checkpoints.models import Case
from reconciliation import verdicts
from reconciliation.pages import desk, queries
from reconciliation.pages.forms import VerdictForm
from tests.engine.turns import Bench
from tests.people import ada, make_tenant
from tests.reconciliation.deskwork import held, past_window, unknown_mail, with_tool

pytestmark = pytest.mark.django_db(transaction=True)

ABSENCE = {"send_again", "it_did_not"}


def offered(case: Case, posted: VerdictForm | None = None) -> dict[str, desk.Offer]:
    attempt = queries.open_attempt(case.action_id) if case.action_id else None
    user = ada(case.tenant)
    return {each.choice.verdict: each for each in desk.offers(case, attempt, posted, user=user)}


def test_absence_can_be_said_only_after_the_window(engine: Bench) -> None:
    case = unknown_mail(engine)
    assert {name for name, offer in offered(case).items() if offer.not_before} == ABSENCE
    past_window(case)
    assert not any(offer.not_before for offer in offered(case).values())


def test_only_a_tool_that_can_be_asked_is_offered_for_asking(engine: Bench) -> None:
    case = unknown_mail(engine)
    assert verdicts.LOOK_UP_AGAIN not in offered(case)
    with_tool(case, "fake.look_up")
    assert verdicts.LOOK_UP_AGAIN in offered(case)
    with_tool(case, "gone.with_the_code")
    assert verdicts.LOOK_UP_AGAIN not in offered(case)


def test_the_posted_form_keeps_its_place_and_its_text(engine: Bench) -> None:
    case = unknown_mail(engine)
    choice = desk.choice_of(case, "it_did_not")
    assert choice is not None
    posted = VerdictForm(choice, {"reason": "typed"})
    assert not posted.is_valid()
    offers = offered(case, posted)
    assert offers["it_did_not"].form is posted
    assert offers["it_did_not"].can_be_given
    assert not offers["send_again"].can_be_given


@pytest.mark.parametrize("kind", states.CASE_KINDS)
def test_every_kind_offers_what_its_verb_accepts(kind: str) -> None:
    case = held(make_tenant(), kind)
    assert set(offered(case)) == {choice.verdict for choice in verdicts.choices(case)} != set()


def test_a_form_asks_for_what_its_verdict_needs_and_nothing_else() -> None:
    fields = {
        choice.verdict: set(VerdictForm(choice).fields)
        for choices in verdicts.CHOICES.values()
        for choice in choices
    }
    where = {"reference", "link", "file", "said_by"}
    assert fields["it_happened"] == {"evidence", "reason"} | where
    assert fields["go_on_from"] == {"seq", "reason"}
    assert fields["write_off"] == {"reason"}
