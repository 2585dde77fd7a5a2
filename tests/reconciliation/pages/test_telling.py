"""What is said of actions and attempts: a sentence for each way one can end."""

import pytest

from checkpoints import states as record
from reconciliation import states
from reconciliation.models import Action, Receipt
from reconciliation.pages import kinds, telling
from reconciliation.pages.queries import APPROVAL, EDIT, tries_of
from tests.engine.turns import Bench
from tests.journeys.places import waiting_run

# How the engine settles actions: reconciliation/ledger and execution/effects.
ENDS = [
    ("happened", "answered"),
    ("happened", "looked_up"),
    ("happened", "by_person"),
    ("did_not_happen", "rejected"),
    ("did_not_happen", "sent_back"),
    ("did_not_happen", "expired"),
    ("did_not_happen", "withdrawn"),
    ("did_not_happen", "forbidden"),
    ("did_not_happen", "voided"),
    ("did_not_happen", "by_person"),
    ("refused", "answered"),
    ("written_off", "by_person"),
]


@pytest.mark.parametrize(("outcome", "because"), ENDS)
def test_every_end_has_a_sentence(outcome: str, because: str) -> None:
    action = Action(stands=states.SETTLED, outcome=outcome, because=because)
    assert telling.sentence(action, sent=1) == str(telling.SETTLED[outcome, because])


def test_what_is_not_settled_never_claims_an_outcome() -> None:
    proposed = Action(stands=states.PROPOSED)
    assert telling.sentence(proposed, sent=0) == "It is proposed. Nothing was sent."
    out = Action(stands=states.DISPATCHED)
    assert telling.sentence(out, sent=2) == "It is on its way: 2 attempts."
    unknown = Action(stands=states.DISPATCHED, outcome=states.UNKNOWN)
    assert "nobody knows what it did" in telling.sentence(unknown, sent=1)


def test_every_state_of_an_attempt_and_every_source_has_words() -> None:
    assert set(telling.ATTEMPTS) == set(states.ATTEMPTS)
    assert set(telling.SOURCES) == set(Receipt.SOURCES)


def test_every_kind_has_a_pill_and_a_meaning_and_violet_is_for_unknown_alone() -> None:
    assert set(kinds.PILLS) == {APPROVAL, EDIT, *record.CASE_KINDS}
    assert set(kinds.MEANS) == set(record.CASE_KINDS)
    violet = {kind for kind, pill in kinds.PILLS.items() if pill.tone == "unknown"}
    assert violet == {record.OUTCOME_UNKNOWN}


@pytest.mark.django_db(transaction=True)
def test_contents_of_receipts_are_left_out_for_those_who_may_not_read(engine: Bench) -> None:
    run = waiting_run(engine)
    engine.decide(run)
    engine.turn()
    (tried,) = tries_of(Action.objects.get(run=run))
    (hidden,) = telling.told(tried, reads=False)["receipts"]
    (shown,) = telling.told(tried, reads=True)["receipts"]
    assert (hidden["values"], hidden["text"]) == (None, None)
    assert hidden["digest"] == shown["digest"]
    assert [row["path"] for row in shown["values"].changes] == ["/action", "/what"]
