"""Proposals: frozen with the checkpoint that proposes them, absorbed with the one that goes on."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from checkpoints import reading
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.headers import Ancestry, Step
from checkpoints.models import Checkpoint, Run
from reconciliation import ledger
from reconciliation.models import Action
from tenants.models import Installation
from tests.checkpoints.records import step
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def key(run: Run, **parts: Any) -> str:
    return ledger.ledger_key(run, **{"node": "act", "ordinal": 1, **parts})


def test_rule_5_a_key_names_scope_node_ordinal_and_generation(engine: Bench) -> None:
    run, other = engine.start(), engine.start()
    made = {
        key(run),
        key(run, node="other"),
        key(run, ordinal=2),
        key(run, generation=2),
        key(other),
    }
    assert len(made) == 5
    assert key(run) == key(Run.objects.get(pk=run.pk))


def test_rule_5_a_fork_has_the_keys_of_its_lineage(engine: Bench) -> None:
    run, fork = engine.start(), engine.start()
    fork.effect_scope = run.effect_scope
    assert key(fork) == key(run)


def test_rule_5_another_tenant_has_other_keys(engine: Bench) -> None:
    run = engine.start()
    mine = key(run)
    run.tenant_id += 1
    assert key(run) != mine
    assert Installation.objects.count() == 1


def test_a_proposal_and_its_checkpoint_come_together(it: Ready) -> None:
    action = it.stored()
    row = Checkpoint.objects.get(run_id=it.run.id, seq=action.proposed_seq)
    header = reading.load(fresh(it), row.seq).header
    assert header["proposals"] == {"act": 1}
    assert header["actions"][0]["id"] == str(action.id)
    assert (action.stands, action.outcome, action.absorbed_seq) == ("proposed", "", None)


def test_rule_4_a_stale_owner_proposes_nothing(it: Ready) -> None:
    """The action rides in the commit's own statement: refused with it, whole."""
    settled(it)
    made = Action(**{**Action.objects.values().get(), "id": uuid4(), "key": b"other"})
    with pytest.raises(LeaseLostError):
        ledger.propose(replace(it.lease, fence=0), *on_top(it), made)
    assert Action.objects.count() == 1
    assert it.run.head == it.lease.head


def test_rule_12_a_second_open_action_refuses_the_whole_commit(it: Ready) -> None:
    made = Action(**{**Action.objects.values().get(), "id": uuid4(), "key": b"other"})
    with pytest.raises(IntegrityError, match="one_unabsorbed_action_per_run"), transaction.atomic():
        ledger.propose(it.lease, *on_top(it), made)
    assert it.run.head == it.lease.head


def test_a_settled_action_is_absorbed_with_the_checkpoint_that_goes_on(it: Ready) -> None:
    settled(it)
    committed = ledger.absorb(it.lease, *on_top(it), it.stored())
    assert it.stored().absorbed_seq == committed.seq == it.run.head
    assert ledger.open_action(it.run.id) is None


def test_an_action_that_is_not_settled_is_not_absorbed(it: Ready) -> None:
    with pytest.raises(LeaseLostError), transaction.atomic():
        ledger.absorb(it.lease, *on_top(it), it.stored())
    assert it.run.head == it.lease.head


def test_an_action_is_absorbed_once(it: Ready) -> None:
    settled(it)
    seq = ledger.absorb(it.lease, *on_top(it), it.stored()).seq
    lease = replace(it.lease, head=seq)
    with pytest.raises(LeaseLostError, match="absorbed by another worker"), transaction.atomic():
        ledger.absorb(lease, *on_top(it), it.stored())
    assert (it.stored().absorbed_seq, it.run.head) == (seq, seq)


def test_a_stale_owner_absorbs_nothing(it: Ready) -> None:
    settled(it)
    stale: Lease = replace(it.lease, fence=0)
    with pytest.raises(LeaseLostError, match="refused for fence 0"), transaction.atomic():
        ledger.absorb(stale, *on_top(it), it.stored())
    assert it.stored().absorbed_seq is None


def settled(it: Ready) -> None:
    it.answer(it.dispatch())


def fresh(it: Ready) -> Run:
    return Run.objects.select_related("combo", "tenant").get(pk=it.run.pk)


def on_top(it: Ready) -> tuple[Ancestry, Step]:
    return reading.load_head(fresh(it)).ancestry(fresh(it)), step(node="act", next_node="act")
