"""Two sweepers at once: together they ask a tool no more often than it allows."""

import pytest
from django.db import transaction

from approvals.drift import looks
from approvals.drift.looks import Pace
from approvals.models.freshness import Freshness
from tests.approvals.questions import asked
from tests.approvals.racing import beside

pytestmark = pytest.mark.django_db(transaction=True)

PACE = Pace(every=30, at_once=2, seconds=20)


def test_what_one_is_about_to_claim_counts_for_the_other() -> None:
    for _ in range(6):
        asked()
    Freshness.objects.update(due_at="2020-01-01T00Z")
    with beside() as side, transaction.atomic():
        mine = looks.claim("git.push", PACE, room=9)
        theirs = side.finish(lambda: looks.claim("git.push", PACE, room=9))
    assert (len(mine), theirs) == (2, [])
    assert looks.claim("git.push", PACE, room=9) == []


def test_a_tool_that_is_being_claimed_holds_no_other_tool() -> None:
    asked()
    Freshness.objects.update(due_at="2020-01-01T00Z")
    asked()
    Freshness.objects.filter(due_at__gt="2021-01-01T00Z").update(
        due_at="2020-01-01T00Z", tool="mail.send"
    )
    with beside() as side, transaction.atomic():
        looks.claim("git.push", PACE, room=9)
        assert len(side.finish(lambda: looks.claim("mail.send", PACE, room=9))) == 1
