"""Lifting a stop: two people, distinct, active, permitted, in time; refusals are on record."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from checkpoints import liftings, stops
from checkpoints.errors import (
    IllegalMoveError,
    ProofNeededError,
    StoppedError,
    StopRefusedError,
)
from checkpoints.models import Lifting, Stop
from checkpoints.models.stop import FASTEST_PER_MINUTE
from tenants import clock
from tenants.access import revoke
from tenants.actors import MOST_AGE, Actor, Proof
from tenants.models import AuditRow, User
from tests.checkpoints.lifts import confirmed, lifted, operators, proposed
from tests.checkpoints.records import by_force, refused
from tests.checkpoints.test_stops import under
from tests.engine.turns import Bench
from tests.people import bob, make_tenant

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
MACHINE = Actor.machine("command line")


@pytest.fixture
def stop(engine: Bench) -> Stop:
    return stops.stop(engine.tenant, "effects", why="incident", actor=MACHINE)


def standing(stop: Stop) -> bool:
    return Stop.objects.filter(pk=stop.pk, lifted_at=None).exists()


def test_one_proposes_another_confirms_and_the_record_names_both(engine: Bench, stop: Stop) -> None:
    made = proposed(stop, per_minute=30)
    assert standing(stop)
    with pytest.raises(StoppedError):
        stops.refuse_if_stopped("effects", under(engine.tenant))
    after = confirmed(made)
    stops.refuse_if_stopped("effects", under(engine.tenant))
    assert after.lifted_by == "Ada and Eve"
    told = {row.verb: row for row in AuditRow.objects.filter(verb__contains="lift")}
    detail = told["proposed lifting"].detail
    assert detail.pop("proved_at") < told["lifted"].detail["proved_at"]
    assert detail == {
        "why": "over",
        "per_minute": 30,
        "lifting": made.pk,
        "proved_by": "password",
    }
    assert (told["proposed lifting"].actor_name, told["lifted"].actor_name) == ("Ada", "Eve")
    first, second = operators(stop)
    detail = told["lifted"].detail
    assert (detail["proposed_by"], detail["confirmed_by"]) == (first.pk, second.pk)


@pytest.mark.parametrize("age", [None, MOST_AGE + SECOND, -HOUR], ids=str)
def test_without_a_fresh_proof_nobody_proposes_or_confirms(
    stop: Stop, age: timedelta | None
) -> None:
    first, second = operators(stop)
    proof = Proof("app", clock.now() - age) if age is not None else None
    with pytest.raises(ProofNeededError):
        liftings.propose(stop.pk, why="x", per_minute=1, actor=Actor.person(first, proof))
    assert not Lifting.objects.exists()
    made = proposed(stop)
    with pytest.raises(ProofNeededError):
        liftings.confirm(made.pk, actor=Actor.person(second, proof))
    made.refresh_from_db()
    assert (made.ended, standing(stop)) == ("", True)


def test_stopping_and_withdrawing_ask_for_no_proof(engine: Bench, stop: Stop) -> None:
    """What holds back must stay quick."""
    first, _second = operators(stop)
    assert stops.stop(engine.tenant, "new_runs", why="now", actor=Actor.person(first)).pk
    liftings.withdraw(proposed(stop).pk, actor=Actor.person(first))


def test_a_tenants_stop_stands_when_the_one_for_everything_is_lifted(
    engine: Bench, stop: Stop
) -> None:
    lifted(stops.stop(None, "effects", why="all", actor=MACHINE))
    with pytest.raises(StoppedError, match="incident"):
        stops.refuse_if_stopped("effects", under(engine.tenant))


def test_whoever_proposed_cannot_confirm(stop: Stop) -> None:
    made = proposed(stop)
    with pytest.raises(StopRefusedError, match="somebody else has to confirm") as refusal:
        liftings.confirm(made.pk, actor=Actor.person(operators(stop)[0]))
    assert (refusal.value.code, standing(stop)) == ("same_person", True)
    row = AuditRow.objects.get(verb="refused_lift")
    assert (row.actor_name, row.detail) == ("Ada", {"code": "same_person"})


def test_no_machine_proposes_confirms_or_withdraws(stop: Stop) -> None:
    with pytest.raises(StopRefusedError, match="never a program"):
        liftings.propose(stop.pk, why="over", per_minute=1, actor=MACHINE)
    made = proposed(stop)
    for verb in (liftings.confirm, liftings.withdraw):
        with pytest.raises(StopRefusedError) as refusal:
            verb(made.pk, actor=MACHINE)
        assert refusal.value.code == "machine"
    assert standing(stop)
    assert AuditRow.objects.filter(verb="refused_lift").count() == 3


def test_nobody_lifts_without_the_right(engine: Bench, stop: Stop) -> None:
    watcher = Actor.person(bob(engine.tenant))
    with pytest.raises(StopRefusedError):
        liftings.propose(stop.pk, why="over", per_minute=1, actor=watcher)
    made = proposed(stop)
    with pytest.raises(StopRefusedError) as refusal:
        liftings.confirm(made.pk, actor=watcher)
    assert (refusal.value.code, standing(stop)) == ("no_right", True)


@pytest.mark.parametrize("why", ["left", "lost the right", "became a service"])
def test_a_proposal_counts_only_while_whoever_made_it_may_lift(stop: Stop, why: str) -> None:
    made = proposed(stop)
    first, second = operators(stop)
    if why == "lost the right":
        revoke(stop.tenant, first, "operate_runs")  # type: ignore[arg-type]
    elif why == "left":
        User.objects.filter(pk=first.pk).update(is_active=False)
    else:
        User.objects.filter(pk=first.pk).update(kind="service", password="!")
    with pytest.raises(StopRefusedError) as refusal:
        liftings.confirm(made.pk, actor=Actor.person(second))
    assert (refusal.value.code, standing(stop)) == ("proposer", True)


def test_everything_is_lifted_by_those_who_operate_every_tenant(engine: Bench) -> None:
    everything = stops.stop(None, "effects", why="all", actor=MACHINE)
    made = proposed(everything)
    make_tenant("founded since")
    second = User.objects.get(email="eve@example.org")
    with pytest.raises(StopRefusedError, match="every tenant") as refusal:
        liftings.confirm(made.pk, actor=Actor.person(second))
    assert (refusal.value.code, standing(everything)) == ("not_everywhere", True)
    assert confirmed(made).lifted_by == "Ada and Eve"


def test_nobody_operates_everything_where_there_is_no_tenant(db: None) -> None:
    everything = stops.stop(None, "effects", why="all", actor=MACHINE)
    user = User.objects.create_user("zoe@example.org")
    with pytest.raises(StopRefusedError):
        liftings.propose(everything.pk, why="x", per_minute=1, actor=Actor.person(user))


def test_a_proposal_runs_out(stop: Stop) -> None:
    made = proposed(stop)
    run_out(made)
    with pytest.raises(IllegalMoveError, match="time of the proposal is over"):
        confirmed(made)
    with refused("a_lifting_is_confirmed_in_time"):
        Lifting.objects.update(
            ended="confirmed", ended_at=Now(), confirmed_by=operators(stop)[1], paced_at=Now()
        )
    assert standing(stop)
    assert liftings.expire_all() == 1
    made.refresh_from_db()
    assert (made.ended, AuditRow.objects.filter(verb="expired lifting").count()) == ("expired", 1)


def test_after_one_ran_out_another_is_proposed(stop: Stop) -> None:
    run_out(proposed(stop))
    assert confirmed(proposed(stop)).lifted_by == "Ada and Eve"
    assert Lifting.objects.filter(ended="expired").count() == 1


def test_there_is_one_proposal_at_a_time(stop: Stop) -> None:
    proposed(stop)
    with pytest.raises(IllegalMoveError, match="Ada has proposed it already"):
        liftings.propose(stop.pk, why="x", per_minute=1, actor=Actor.person(operators(stop)[1]))
    with refused("one_open_lifting_per_stop"):
        again = Lifting.objects.get()
        again.pk = None
        again.save(force_insert=True)


def test_a_withdrawn_proposal_lifts_nothing(stop: Stop) -> None:
    made = proposed(stop)
    gone = liftings.withdraw(made.pk, actor=Actor.person(operators(stop)[1]))
    assert (gone.ended, gone.ended_by, standing(stop)) == ("withdrawn", "Eve", True)
    with pytest.raises(IllegalMoveError, match="Eve withdrew the proposal"):
        confirmed(made)
    assert AuditRow.objects.filter(verb="withdrew lifting").count() == 1


def test_stopping_again_withdraws_the_proposal(engine: Bench, stop: Stop) -> None:
    made = proposed(stop)
    assert stops.stop(engine.tenant, "effects", why="it goes on", actor=MACHINE).pk == stop.pk
    with pytest.raises(IllegalMoveError, match="command line withdrew the proposal"):
        confirmed(made)
    assert AuditRow.objects.get(verb="stopped again").detail == {
        "why": "it goes on",
        "lifting": made.pk,
    }


def test_what_is_lifted_is_not_lifted_again(stop: Stop) -> None:
    made = proposed(stop)
    confirmed(made)
    for again in (lambda: confirmed(made), lambda: proposed(stop)):
        with pytest.raises(IllegalMoveError, match="Ada and Eve lifted it already"):
            again()
    assert AuditRow.objects.filter(verb="lifted").count() == 1


@pytest.mark.parametrize(("why", "per_minute"), [(" ", 1), ("x", 0), ("x", 10**9)])
def test_a_proposal_has_a_reason_and_a_pace(stop: Stop, why: str, per_minute: int) -> None:
    actor = Actor.person(operators(stop)[0])
    with pytest.raises(IllegalMoveError):
        liftings.propose(stop.pk, why=why, per_minute=per_minute, actor=actor)
    assert FASTEST_PER_MINUTE < 10**9


def test_the_database_lifts_for_two_people_only(stop: Stop) -> None:
    """Also for somebody with the password of the database's user, and no way of ours."""
    with refused("a_stop_is_lifted_by_two_people"):
        Stop.objects.update(lifted_at=Now(), lifted_by="Ada")
    proposed(stop)
    with refused("a_stop_is_lifted_by_two_people"):
        Stop.objects.update(lifted_at=Now(), lifted_by="Ada")
    with refused("two_people_lift"):
        Lifting.objects.update(
            ended="confirmed", ended_at=Now(), confirmed_by=operators(stop)[0], paced_at=Now()
        )


def test_the_database_keeps_how_a_lifting_ended(stop: Stop) -> None:
    made = proposed(stop)
    confirmed(made)
    changes = ({"why": "y"}, {"ended": "withdrawn"}, {"per_minute": 2}, {"ended_by": "Zoe"})
    for change in changes:
        with refused("a_lifting_ends_once"):
            Lifting.objects.update(**change)
    with refused("a_lifted_stop_stays_lifted"):
        Stop.objects.update(lifted_at=None, lifted_by="")
    with refused("only ever added"):
        Lifting.objects.all().delete()


def run_out(lifting: Lifting) -> None:
    """As if it had been proposed an hour ago."""
    with by_force():
        Lifting.objects.filter(pk=lifting.pk).update(expires_at=Now() - timedelta(seconds=1))
