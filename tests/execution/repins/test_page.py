"""The page of a run says what it was started on, where it is ordered, and how that ended."""

import pytest
from django.db import transaction

from checkpoints import repins
from execution import repinning
from tenants.actors import Actor
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.execution.repins.pools import CAUSE
from tests.execution.runs import bounded_turn, full

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_order_and_a_move_stand_on_the_page(engine: Bench) -> None:
    run, to = engine.start(), another("steps", "otherwise")
    bounded_turn(engine, 2)
    own, reader = full(run).combo, signed_in(engine.starter)
    with transaction.atomic():
        actor = Actor.person(engine.starter)
        repins.order(run, to, why="it is <worse>", cause=CAUSE, actor=actor)
    said = words(reader.get(page_of(engine, run)))
    assert f"Moves to {to}" in said
    assert "at its next boundary, by order of" in said
    assert "it is <worse>" in said
    assert "Ordered to move to another combo" in said
    repinning.move_due()
    said = words(reader.get(page_of(engine, run)))
    assert f"Started on {own}" in said
    assert "Moved to another combo" in said
    assert "Moves to" not in said
