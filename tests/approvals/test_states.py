"""Which moves are legal, and that the database's copy of the table says the same."""

from itertools import product

import pytest
from django.db import IntegrityError, transaction

from approvals import states
from approvals.models import ApprovalRequest
from tests.approvals.questions import asked


def test_final_states_move_nowhere() -> None:
    finals = {"rejected", "sent_back", "expired", "withdrawn", "used"}
    assert {state for state, moves in states.REQUEST_MOVES.items() if not moves} == finals
    assert states.LIVE == ("open", "approved")


def test_only_an_unused_approval_moves() -> None:
    assert [state for state, moves in states.APPROVAL_MOVES.items() if moves] == ["unused"]


def test_every_state_is_in_its_table() -> None:
    assert set(states.REQUEST_MOVES) == set(states.REQUEST_STATES)
    assert set(states.APPROVAL_MOVES) == set(states.APPROVAL_STATES)
    assert set(states.CLOSES_AS) < set(states.VERDICTS)


def test_an_unknown_state_moves_nowhere() -> None:
    assert not states.may_move(states.REQUEST_MOVES, "lost", "open")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("old", "new"),
    [pair for pair in product(states.REQUEST_STATES, repeat=2) if pair[0] != pair[1]],
)
def test_the_database_knows_the_same_moves(old: str, new: str) -> None:
    request = asked()
    found = ApprovalRequest.objects.filter(pk=request.pk)
    for step in {"open": [], "used": ["approved", "used"]}.get(old, [old]):
        found.update(state=step, closed_at=request.asked_at)
    closed_at = None if new == "open" else request.asked_at
    if states.may_move(states.REQUEST_MOVES, old, new):
        assert found.update(state=new, closed_at=closed_at) == 1
        return
    with pytest.raises(IntegrityError, match="does not become"), transaction.atomic():
        found.update(state=new, closed_at=closed_at)
