"""What PostgreSQL itself refuses about the ledger's tables."""

from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.db.models.functions import Now

from checkpoints.models import Run
from reconciliation.models import Action, Attempt, LookUp, Receipt
from tests.checkpoints.records import by_force, refused
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


FROZEN = "what was proposed is frozen"


NO_ACTION: list[tuple[dict[str, Any], str]] = [
    ({"tool": "other"}, FROZEN),
    ({"parameters": b"{}"}, FROZEN),
    ({"key": b"x"}, FROZEN),
    ({"mode": "shadow"}, FROZEN),
    ({"run_id": uuid4()}, FROZEN),
    ({"tenant_id": 10**9}, FROZEN),
    ({"parameters_digest": bytes(32)}, "parameters_digest_is_of_the_parameters"),
    ({"stands": "asleep"}, "violates check constraint"),
    ({"outcome": "perhaps"}, "violates check constraint"),
    ({"because": "bored"}, "action_standing_is_known"),
    ({"outcome": "happened"}, "a_settled_action_has_a_final_outcome"),
    ({"stands": "settled"}, "a_settled_action_has_a_final_outcome"),
    (
        {"stands": "settled", "outcome": "unknown", "settled_at": Now()},
        "a_settled_action_has_a_final_outcome",
    ),
    (
        {"stands": "settled", "outcome": "happened"},
        "a_settled_action_has_a_final_outcome",
    ),
    ({"absorbed_seq": 7}, "only_a_settled_action_is_absorbed"),
]


def test_an_action_cannot_be_made_to_contradict_itself(it: Ready) -> None:
    for changes, says in NO_ACTION:
        with refused(says):
            Action.objects.update(**changes)


def test_what_happened_cannot_be_made_not_to_have_happened(it: Ready) -> None:
    it.answer(it.dispatch())
    for outcome in ("did_not_happen", "written_off", "refused"):
        with refused("cannot be made not to have happened"):
            Action.objects.update(outcome=outcome)


def test_rule_12_a_run_has_one_unabsorbed_action(it: Ready) -> None:
    with refused("one_unabsorbed_action_per_run"):
        another(it, key=b"another")


def test_rule_5_a_key_is_taken_once_among_live_actions(it: Ready) -> None:
    it.answer(it.dispatch())
    Action.objects.update(absorbed_seq=7)
    with refused("one_live_action_per_idempotency_key"):
        another(it)


def test_rule_5_a_shadow_run_cannot_have_an_intent(it: Ready, engine: Bench) -> None:
    """The mode travels by composite key from run to action to attempt."""
    shadow = shadow_of(it)
    with refused("action_has_its_runs_mode"):
        another(it, run_id=shadow.id, mode="live", key=b"another")
    action = another(it, run_id=shadow.id, mode="shadow")
    template = intent(it)
    with refused("attempt_has_its_actions_mode"):
        Attempt.objects.create(**{**template, "action_id": action.id, "mode": "live"})
    with refused("a_shadow_run_has_no_intent"):
        Attempt.objects.create(**{**template, "action_id": action.id, "mode": "shadow"})


def test_rule_5_a_shadow_action_does_not_take_the_live_key(it: Ready) -> None:
    another(it, run_id=shadow_of(it).id, mode="shadow")
    assert Action.objects.filter(key=it.action.key).count() == 2


def test_an_intent_is_a_fact(it: Ready) -> None:
    it.dispatch()
    for changes in (
        {"number": 2},
        {"action_hash": "x"},
        {"fence": F("fence") + 1},
        {"deadline_at": Now()},
    ):
        with refused("an intent is a fact"):
            Attempt.objects.update(**changes)


def test_an_intent_is_never_deleted(it: Ready) -> None:
    it.dispatch()
    with refused("an intent is a fact"):
        Attempt.objects.all().delete()


def test_a_settled_attempt_says_how_and_when(it: Ready) -> None:
    it.dispatch()
    for changes in ({"outcome": "absent"}, {"settled_at": Now()}, {"outcome": "lost"}):
        with refused("a_settled_attempt_says_when"):
            Attempt.objects.update(**changes)


def test_rule_6_the_database_refuses_an_intent_beside_an_unproven_one(it: Ready) -> None:
    template = intent(it)
    for outcome in ("", "happened", "refused", "written_off"):
        Attempt.objects.update(outcome=outcome, settled_at=Now() if outcome else None)
        with refused("an earlier one is not proven without effect"):
            Attempt.objects.create(**{**template, "number": 2})


def test_rule_6_the_database_lets_an_intent_follow_proven_ones(it: Ready) -> None:
    template = intent(it)
    for number, outcome in enumerate(("absent", "voided", "not_called", "resent_under_key"), 2):
        Attempt.objects.filter(outcome="").update(outcome=outcome, settled_at=Now())
        Attempt.objects.create(**{**template, "id": uuid4(), "number": number})
    with refused("is not proven without effect"):
        Attempt.objects.create(**{**template, "id": uuid4(), "number": 6})


def test_one_attempt_is_open_and_attempts_are_numbered(it: Ready) -> None:
    template = intent(it)
    with by_force(), refused("one_open_attempt_per_action"):
        Attempt.objects.create(**{**template, "number": 2})
    Attempt.objects.update(outcome="absent", settled_at=Now())
    with refused("attempts_are_numbered"):
        Attempt.objects.create(**{**template, "number": 1})


def test_a_receipt_is_append_only_and_its_digest_is_of_its_content(it: Ready) -> None:
    it.answer(it.dispatch())
    with refused("UPDATE of reconciliation_receipt refused"):
        Receipt.objects.update(content=b"x")
    with refused("DELETE of reconciliation_receipt refused"):
        Receipt.objects.all().delete()
    columns = {**Receipt.objects.values().get(), "id": None}
    with refused("receipt_digest_is_of_its_content"):
        Receipt.objects.create(**{**columns, "content": b"x"})
    with refused("receipt_source_is_known"):
        Receipt.objects.create(**{**columns, "source": "rumour"})


def test_a_look_up_is_append_only(it: Ready) -> None:
    attempt = it.dispatch()
    LookUp.objects.create(attempt=attempt, answer="absent", boot_id="b", boot_seconds=1)
    with refused("UPDATE of reconciliation_lookup refused"):
        LookUp.objects.update(answer="found")
    with refused("DELETE of reconciliation_lookup refused"):
        LookUp.objects.all().delete()
    with refused("look_up_answer_is_known"):
        LookUp.objects.create(attempt=attempt, answer="perhaps", boot_id="b", boot_seconds=1)


def another(it: Ready, **changes: Any) -> Action:
    columns = Action.objects.filter(pk=it.action.pk).values().get()
    unsettled = {
        "stands": "proposed",
        "outcome": "",
        "settled_at": None,
        "absorbed_seq": None,
        "because": "",
    }
    return Action.objects.create(**{**columns, **unsettled, "id": uuid4(), **changes})


def shadow_of(it: Ready) -> Run:
    columns = Run.objects.filter(pk=it.run.pk).values().get()
    idle = {"status": "queued", "reason": "started", "holder": None, "lease_until": None}
    return Run.objects.create(**{**columns, **idle, "id": uuid4(), "mode": "shadow", "head": 0})


def intent(it: Ready) -> dict[str, Any]:
    """The columns of a further intent beside the first, which is open."""
    it.dispatch()
    return {**Attempt.objects.values().get(), "id": uuid4()}
