"""A look that comes in while somebody says yes is before it or after it, never in between."""

from functools import partial

import pytest

from approvals.errors import RemarksUnseenError
from approvals.looking import asking, turns
from approvals.models import Decision, SecondLook
from tests.approvals.looking.lookers import Says, asked, remark, turn_of
from tests.approvals.questions import decide
from tests.concurrency.test_approvals_crossing import at_once
from tests.doorbell import doorbell  # noqa: F401 - autouse: wake-ups ring where nobody listens
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 15


def test_a_yes_crosses_a_look_with_one_result() -> None:
    user = dee(make_tenant())
    for _round in range(ROUNDS):
        request = asked()
        turn = turn_of(request)

        def look() -> str:
            return "kept" if asking.take(turn, Says([remark("facts", "Push")])) else "lost"  # noqa: B023

        def yes() -> str:
            try:
                return decide(request, user).state  # noqa: B023
            except RemarksUnseenError:
                return "unseen"

        kept, told = at_once(look, yes)
        request.refresh_from_db()
        decided = Decision.objects.filter(request=request).exists()
        assert (told, request.state, decided) in [
            ("approved", "approved", True),
            ("unseen", "open", False),
        ]
        assert kept == ("kept" if SecondLook.objects.filter(request=request).exists() else "lost")
        if told == "unseen":
            assert kept == "kept"
        elif kept == "kept":  # then it came after the yes: whoever said it could not have seen it
            assert request.closed_at is not None
            assert SecondLook.objects.get(request=request).at > request.closed_at


def test_many_claim_and_each_turn_is_claimed_by_one() -> None:
    waiting = {asked().pk for _ in range(6)}
    claim = partial(turns.claim, room=6, a_minute=6)
    claimed: list[turns.Turn] = []

    def one() -> str:
        claimed.extend(claim())
        return ""

    at_once(*[one] * 4)
    claimed.extend(claim())
    assert len(claimed) == len({turn.request_id for turn in claimed}) == len(waiting)
