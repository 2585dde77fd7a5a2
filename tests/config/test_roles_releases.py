"""A worker moves no traffic of its own: it can only stop what people began."""

import pytest
from django.db import IntegrityError, ProgrammingError, transaction

from approvals import clock
from releases import moving
from releases.gates import standing
from releases.models import Move, MoveOrder, Release
from tenants.actors import Actor
from tests.config.test_roles_worker import as_worker, granted
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.releases.traffic import traffic

__all__ = ["engine", "granted"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_the_worker_stops_a_canary_whose_gate_is_crossed(granted: None, engine: Bench) -> None:
    here = traffic(engine)
    release = here.canary()
    with as_worker():
        assert moving.stop_by_machine(release.pk, why="crossed", actor=Actor.machine("gates"))
    assert (here.route().candidate, Release.objects.get().place) == (None, "stopped")


def test_the_worker_makes_no_move_in_a_persons_name(granted: None, engine: Bench) -> None:
    here = traffic(engine)
    move = here.propose(here.begin(), standing.BEGIN)
    forged = MoveOrder(
        move=move, tenant=here.tenant, said="make", user=here.ada, digest=move.digest
    )
    with as_worker(), pytest.raises(ProgrammingError, match="permission denied"):
        forged.save(force_insert=True)
    made = {"ended": "made", "ended_at": clock.now(), "made_by": here.ada}
    with as_worker(), pytest.raises(IntegrityError, match="on_the_word_of_a_person"):
        Move.objects.filter(pk=move.pk).update(**made)
    with as_worker(), pytest.raises(IntegrityError, match="where_its_last_move_led"):
        Release.objects.update(place="shadow")


def test_the_worker_begins_no_release(granted: None, engine: Bench) -> None:
    here = traffic(engine)
    with as_worker(), pytest.raises(ProgrammingError), transaction.atomic():
        here.begin()
    assert not Release.objects.exists()
