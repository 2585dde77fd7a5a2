"""Rule 21: whoever starts one business key at the same time gets one run."""

from functools import partial
from threading import Barrier

import pytest
from django.db import transaction

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.errors import KeyReusedError
from checkpoints.models import Event, Run
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals.racing import beside
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)

CALLER = Actor.machine("test")


def start(engine: Bench, amount: int = 1) -> tuple[Run, bool]:
    request = Request("steps", "the key", {"amount": amount}, channel="test")
    return runs.start(engine.tenant, request, actor=CALLER)


def test_rule_21_the_loser_of_a_race_gets_the_winners_run(engine: Bench) -> None:
    with beside() as side:
        with transaction.atomic():
            won, created = start(engine)
            losing = side.start_and_block(partial(start, engine))
        lost, again = losing.result()
    assert (lost.id, created, again) == (won.id, True, False)


def test_rule_21_the_second_starts_it_when_the_first_rolls_back(engine: Bench) -> None:
    with beside() as side:
        with transaction.atomic():
            start(engine)
            waiting = side.start_and_block(partial(start, engine))
            transaction.set_rollback(True)
        run, created = waiting.result()
    assert created
    assert Run.objects.get().id == run.id


def test_rule_21_the_loser_with_another_input_is_told(engine: Bench) -> None:
    with beside() as side:
        with transaction.atomic():
            start(engine)
            losing = side.start_and_block(partial(start, engine, 2))
        with pytest.raises(KeyReusedError):
            losing.result()
    assert Run.objects.count() == 1


def test_rule_21_of_many_at_once_one_creates_and_all_get_it(engine: Bench) -> None:
    crowd = Barrier(8)

    def race() -> tuple[Run, bool]:
        crowd.wait()
        return start(engine)

    with beside() as side:
        told = [future.result() for future in [side.start(race) for _ in range(8)]]
    assert len({run.id for run, _ in told}) == 1
    assert [created for _, created in told].count(True) == 1
    assert Run.objects.count() == Event.objects.count() == 1
    assert AuditRow.objects.filter(verb="started").count() == 1
