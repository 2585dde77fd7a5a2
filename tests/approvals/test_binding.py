"""Binding: one field that is flipped between approve and dispatch, one refusal that names it.

Incidents A01, A02, A06, A07 and A08: what was approved is what is sent, or nothing is.
"""

from collections.abc import Callable
from dataclasses import fields

import pytest

from approvals.drift import terms
from approvals.hashing import Bound
from approvals.models import Approval, ApprovalRequest
from checkpoints import leases
from checkpoints.models import Event
from checkpoints.registry import runnable_combos
from reconciliation.models import Attempt
from tenants.models import AuditRow
from tests.approvals.flips import FLIPS, Approved, approved
from tests.engine.faketools import effects
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db


@pytest.fixture
def it(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Approved:
    return approved(engine, monkeypatch)


def all_turns(bench: Bench) -> None:
    """Turns of every run that is due, until none is."""
    while leases.others_are_due(runnable_combos()):
        bench.turn()


def test_every_bound_field_has_a_flip() -> None:
    """A new field without one fails here."""
    assert {field for field, _, _ in FLIPS} == {field.name for field in fields(Bound)}


def test_every_bound_field_has_a_name_for_people() -> None:
    assert {field.name for field in fields(Bound)} <= set(terms.FIELDS)


def test_without_a_flip_it_is_sent_once(it: Approved) -> None:
    all_turns(it.bench)
    assert len(effects()) == 1
    assert Approval.objects.get().state == "used"


@pytest.mark.parametrize(
    ("named", "flip"),
    [(named, flip) for _, named, flip in FLIPS],
    ids=[f"{number}-{named}" for number, (_, named, _) in enumerate(FLIPS)],
)
def test_a_flipped_field_is_refused_by_name_and_nothing_is_sent(
    it: Approved, named: str, flip: Callable[[Approved], None]
) -> None:
    asked = ApprovalRequest.objects.get()
    flip(it)
    all_turns(it.bench)
    assert effects() == []
    assert not Attempt.objects.exists()
    asked.refresh_from_db()
    assert asked.state == "withdrawn"
    assert terms.name(named) in asked.closed_because
    told = Event.objects.get(what="withdrawn", detail__request=str(asked.pk))
    assert told.detail["moved"] == named
    row = AuditRow.objects.get(verb="withdraw", detail__request=str(asked.pk))
    assert row.detail["moved"] == named
    assert Approval.objects.get(pk=asked.pk).state == "withdrawn"


def test_people_are_asked_anew_with_what_moved_on_record(it: Approved) -> None:
    it.tool.seen["world"] = "2"
    all_turns(it.bench)
    old, new = ApprovalRequest.objects.order_by("revision")
    assert (new.state, new.replaces_id) == ("open", old.pk)
    told = Event.objects.get(what="asked", detail__request=str(new.pk))
    assert told.detail["moved"] == "resources.world"
    it.bench.decide(it.run)
    all_turns(it.bench)
    assert len(effects()) == 1
