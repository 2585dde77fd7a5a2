"""Beside a hidden value a page says whether it is that of the last approval used, and never the value."""

from typing import Any

import pytest

from approvals.models import ApprovalRequest
from checkpoints.models import Run
from tests.approvals.asking import address
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in
from tests.secrecy.registry import GIVEN, PERSON
from tests.secrecy.sinks import leaks

pytestmark = pytest.mark.django_db(transaction=True)

SAME, CHANGED = "same as last approved", "changed since last approved"
FIRST = "nothing approved before to compare with"


def asked(careless: Bench, **given: Any) -> tuple[Run, str]:
    """A run that asks, and what its question's page says."""
    run = careless.start("careless", **{**GIVEN, **given})
    careless.turn()
    request = ApprovalRequest.objects.get(run=run)
    content = signed_in(careless.approver).get(address(request)).content
    assert leaks(content) == []
    return run, content.decode()


def used(careless: Bench, run: Run) -> None:
    careless.decide(run)
    careless.turn()
    assert ApprovalRequest.objects.get(run=run).state == "used"


def test_the_page_says_same_or_changed_since_the_last_that_was_used(careless: Bench) -> None:
    run, first = asked(careless)
    assert FIRST in first
    assert SAME not in first
    _other, before = asked(careless)
    assert FIRST in before
    used(careless, run)
    _run, again = asked(careless)
    assert (SAME in again, CHANGED in again) == (True, False)
    other = {"id": PERSON, "mail": "somebody.else@example.org"}
    _run, moved = asked(careless, customer=other)
    assert SAME in moved  # the password
    assert CHANGED in moved  # the address
    assert "somebody.else" not in moved


def test_what_was_used_for_another_target_says_nothing(careless: Bench) -> None:
    run, _page = asked(careless)
    used(careless, run)
    _run, page = asked(careless, password="another pass phrase")
    assert FIRST in page
    assert SAME not in page
