"""What is kept of a look: once, added only, and about the hash of its own question."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from django.db import IntegrityError, transaction

from approvals.looking import recording, viewing
from approvals.looking.recording import Asked, Found
from approvals.models import ApprovalRequest, SecondLook, SecondLookTurn, SeenRemarks
from tests.approvals.looking.lookers import NOTHING, asked, look_at, remark, turn_of
from tests.people import dee

pytestmark = pytest.mark.django_db
CHANGES: Final[dict[str, Callable[[Any, str], object]]] = {
    "update": lambda rows, column: rows.update(**{column: rows.values_list(column, flat=True)[0]}),
    "delete": lambda rows, _column: rows._raw_delete(rows.db),
}


def by_hand(request: ApprovalRequest, **columns: Any) -> SecondLook:
    return SecondLook(
        **{
            "request": request, "tenant": request.tenant, "action_hash": request.action_hash,
            "shown_digest": "a" * 64, "outcome": "nothing_noticed", "model": "m",
            "prompt_digest": "b" * 64, "combo_digest": "c" * 64, **columns,
        }
    )  # fmt: skip


def asked_of(request: ApprovalRequest) -> Asked:
    return Asked("small-1 at models.example", "b" * 64, viewing.of(request))


def test_who_lost_the_claim_keeps_nothing() -> None:
    request = asked()
    turn = turn_of(request)
    SecondLookTurn.objects.update(claimed_until="2020-01-01T00Z")
    other = turn_of(request)
    assert recording.record(turn, asked_of(request), Found()) is None
    assert not SecondLook.objects.exists()
    assert recording.record(other, asked_of(request), Found()) is not None
    assert recording.record(other, asked_of(request), Found()) is None


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_said_and_who_saw_it_is_never_changed(change: str) -> None:
    request = asked()
    look = look_at(request, remark("facts", "Push"))
    seen = SeenRemarks.objects.create(look=look, user=dee(request.tenant))
    for row, column in ((seen, "at"), (look, "outcome")):
        rows = type(row)._default_manager.filter(pk=row.pk)
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            CHANGES[change](rows, column)


@pytest.mark.parametrize(
    "columns",
    [
        {"action_hash": "d" * 64},
        {"outcome": "approved"},
        {"outcome": "look_here", "remark_count": 0},
        {"outcome": "look_here", "remark_count": 9},
        {"remark_count": 1},
        {"outcome": "failed"},
        {"why": "no reason"},
        {"model": ""},
    ],
)
def test_the_database_refuses_what_cannot_be_said(columns: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        by_hand(asked(), **columns).save(force_insert=True)


def test_a_question_is_looked_at_once() -> None:
    request = asked()
    look_at(request, NOTHING)
    with pytest.raises(IntegrityError), transaction.atomic():
        by_hand(request).save(force_insert=True)
