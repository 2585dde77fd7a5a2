"""What checkpoints say of actions, against the ledger."""

from typing import Any

import pytest

from canonical import digests
from checkpoints.models import Run
from reconciliation import proof
from reconciliation.models import Action, Receipt
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting

RULES = (
    ("reconciliation_receipt", "receipt_digest_is_of_its_content"),
    ("reconciliation_action", "parameters_digest_is_of_the_parameters"),
)


@pytest.fixture
def run(engine: Bench) -> Run:
    """A finished run with one effect."""
    run = waiting(engine)
    engine.decide(run)
    engine.turn()
    return full(run)


def test_an_intact_ledger_agrees_with_the_record(run: Run) -> None:
    assert proof.damage(run) == []


def sealed(content: bytes) -> dict[str, Any]:
    return {"content": content, "digest": bytes.fromhex(digests.sha256_hex(content))}


def test_a_swapped_receipt_is_found_even_with_its_digest(run: Run) -> None:
    for changes in ({"content": b"{}"}, sealed(b"{}")):
        with by_force(*RULES):
            Receipt.objects.update(**changes)
        assert proof.damage(run) == [
            f"checkpoint 7: action {Action.objects.get().id} has lost the receipt that was absorbed"
        ]


def test_a_deleted_receipt_is_found(run: Run) -> None:
    with by_force():
        Receipt.objects.all().delete()
    assert "has lost the receipt" in proof.damage(run)[0]


def test_other_parameters_are_found_by_every_checkpoint_that_names_them(run: Run) -> None:
    with by_force(*RULES):
        Action.objects.update(parameters=b'{"what":"else"}')
    damage = proof.damage(run)
    assert [said.split(":")[0] for said in damage] == ["checkpoint 6", "checkpoint 7"]
    assert all("has other parameters than were proposed" in said for said in damage)


def test_an_action_that_is_gone_is_found(run: Run) -> None:
    with by_force():
        Receipt.objects.all().delete()
        Action.objects.get().attempts.all().delete()
        Action.objects.all().delete()
    assert all(said.endswith("is not in the ledger") for said in proof.damage(run))
    assert len(proof.damage(run)) == 2
