"""Two people lift, whoever is quicker, and a stop pressed meanwhile wins or is a stop of its own."""

from functools import partial

import pytest
from django.db import transaction

from checkpoints import liftings, stops
from checkpoints.errors import IllegalMoveError, StopRefusedError
from checkpoints.models import Lifting, Stop
from tenants.access import revoke
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.approvals.racing import beside
from tests.checkpoints.lifts import confirmed, operators, proposed, proved
from tests.engine.turns import Bench
from tests.people import dee

pytestmark = pytest.mark.django_db(transaction=True)

MACHINE = Actor.machine("command line")


@pytest.fixture
def stop(engine: Bench) -> Stop:
    return stops.stop(engine.tenant, "effects", why="incident", actor=MACHINE)


def test_of_two_who_confirm_at_once_one_lifts_and_the_other_is_told(stop: Stop) -> None:
    made = proposed(stop)
    with beside() as side:
        with transaction.atomic():
            confirmed(made)
            second = side.start_and_block(partial(confirmed, made))
        with pytest.raises(IllegalMoveError, match="Ada and Eve lifted it already"):
            second.result()
    assert AuditRow.objects.filter(verb="lifted").count() == 1


def test_of_two_who_propose_at_once_one_proposes_and_the_other_is_told(stop: Stop) -> None:
    _, eve = operators(stop)
    second = partial(liftings.propose, stop.pk, why="x", per_minute=1, actor=proved(eve))
    with beside() as side:
        with transaction.atomic():
            proposed(stop)
            proposing = side.start_and_block(second)
        with pytest.raises(IllegalMoveError, match="Ada has proposed it already"):
            proposing.result()
    assert Lifting.objects.count() == 1


def test_a_proposal_withdrawn_while_somebody_confirms_lifts_nothing(stop: Stop) -> None:
    made = proposed(stop)
    first, _ = operators(stop)
    with beside() as side:
        with transaction.atomic():
            liftings.withdraw(made.pk, actor=Actor.person(first))
            confirming = side.start_and_block(partial(confirmed, made))
        with pytest.raises(IllegalMoveError, match="Ada withdrew"):
            confirming.result()
    assert Stop.objects.get().lifted_at is None


@pytest.mark.parametrize("left", ["proposer", "confirmer"])
@pytest.mark.parametrize("how", ["left", "lost the right"])
def test_who_loses_the_right_while_a_confirmation_waits_lifts_nothing(
    stop: Stop, left: str, how: str
) -> None:
    """Judged after the locks: what was true when the button was pressed does not count."""
    made = proposed(stop)
    first, second = operators(stop)
    one = first if left == "proposer" else second
    confirm = partial(liftings.confirm, made.pk, actor=proved(second))
    with beside() as side:
        with transaction.atomic():
            Stop.objects.select_for_update().get()
            confirming = side.start_and_block(confirm)
            if how == "left":
                User.objects.filter(pk=one.pk).update(is_active=False)
            else:
                revoke(stop.tenant, one, "operate_runs")  # type: ignore[arg-type]
        with pytest.raises(StopRefusedError):
            confirming.result()
    assert Stop.objects.get().lifted_at is None
    assert AuditRow.objects.filter(verb="refused_lift").count() == 1


def test_who_stops_while_somebody_confirms_is_not_lifted_over(engine: Bench, stop: Stop) -> None:
    made = proposed(stop)
    again = partial(stops.stop, engine.tenant, "effects", why="again", actor=MACHINE)
    with beside() as side:
        with transaction.atomic():
            assert again().pk == stop.pk
            confirming = side.start_and_block(partial(confirmed, made))
        with pytest.raises(IllegalMoveError, match="command line withdrew"):
            confirming.result()
    assert Stop.objects.get().lifted_at is None


def test_who_stops_just_after_the_confirmation_has_a_stop_in_force(
    engine: Bench, stop: Stop
) -> None:
    made = proposed(stop)
    again = partial(stops.stop, engine.tenant, "effects", why="again", actor=MACHINE)
    with beside() as side:
        with transaction.atomic():
            confirmed(made)
            stopping = side.start_and_block(again)
        assert stopping.result().pk != stop.pk
    assert Stop.objects.get(lifted_at=None).why == "again"


def test_an_approver_is_no_operator(stop: Stop, engine: Bench) -> None:
    with pytest.raises(StopRefusedError):
        liftings.confirm(proposed(stop).pk, actor=Actor.person(dee(engine.tenant)))
