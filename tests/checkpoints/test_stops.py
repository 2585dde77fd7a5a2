"""Stops: locks on new runs or on effects, for everything, a tenant, or one thing of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from approvals import clock
from checkpoints import stops
from checkpoints.errors import IllegalMoveError, StoppedError, StopRefusedError
from checkpoints.models import Run, Stop
from checkpoints.registry import combo_of
from checkpoints.scopes import LOCKS, Lock, Scope, Under
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant, User
from tests.checkpoints.records import refused
from tests.engine.turns import Bench
from tests.people import bob, make_tenant

ADA, BOB = Actor.machine("Ada"), Actor.machine("Bob")


def test_a_stop_says_who_when_and_why(engine: Bench) -> None:
    made = stops.stop(engine.tenant, "effects", why="wrong branch", actor=ADA)
    made.refresh_from_db()
    assert (made.tenant, made.lock, made.why, made.stopped_by) == (
        engine.tenant,
        "effects",
        "wrong branch",
        "Ada",
    )
    assert clock.now() - made.stopped_at < timedelta(minutes=1)
    row = AuditRow.objects.get(verb="stopped")
    assert (row.subject, row.detail) == (
        f"effects of {engine.tenant.slug}",
        {"why": "wrong branch"},
    )


def test_stopping_twice_is_one_stop(engine: Bench) -> None:
    first = stops.stop(None, "effects", why="incident", actor=ADA)
    again = stops.stop(None, "effects", why="another", actor=BOB)
    assert first == again
    assert Stop.objects.get().why == "incident"
    assert AuditRow.objects.filter(verb="stopped").count() == 1


@pytest.mark.parametrize("why", ["", " "])
def test_a_stop_needs_a_reason(engine: Bench, why: str) -> None:
    with pytest.raises(IllegalMoveError, match="a stop needs a reason"):
        stops.stop(None, "effects", why=why, actor=ADA)


THINGS = {
    "task type": (Scope(task_type="steps"), Scope(task_type="strict")),
    "tool": (Scope(tool="fake.void"), Scope(tool="fake.keyed")),
}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_stop_holds_for_its_tenant_and_its_lock_only(engine: Bench, lock: Lock) -> None:
    other, another = make_tenant("other"), "new_runs" if lock == "effects" else "effects"
    stops.stop(other, lock, why="incident", actor=ADA)
    stops.refuse_if_stopped(lock, under(engine.tenant))
    stops.refuse_if_stopped(another, under(other))  # type: ignore[arg-type]
    with pytest.raises(StoppedError, match=r"by Ada since .* UTC: incident"):
        stops.refuse_if_stopped(lock, under(other))


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("thing", [*THINGS, "combo"])
@pytest.mark.parametrize("everywhere", [True, False], ids=["everywhere", "at one tenant"])
def test_a_stop_of_one_thing_holds_for_that_thing_only(
    engine: Bench, lock: Lock, thing: str, everywhere: bool
) -> None:
    combos = Scope(combo=combo_of("steps")), Scope(combo=combo_of("strict"))
    this, that = THINGS.get(thing, combos)
    if not everywhere:
        this, that = replace(this, tenant=engine.tenant), replace(that, tenant=engine.tenant)
    stops.stop(that, lock, why="that", actor=ADA)
    stops.refuse_if_stopped(lock, under(engine.tenant))
    stops.stop(this, lock, why="this", actor=ADA)
    with pytest.raises(StoppedError, match="this"):
        stops.refuse_if_stopped(lock, under(engine.tenant))
    other = under(make_tenant("other"))
    if everywhere:
        with pytest.raises(StoppedError, match="this"):
            stops.refuse_if_stopped(lock, other)
    else:
        stops.refuse_if_stopped(lock, other)


def test_a_stop_is_for_one_thing_at_most(engine: Bench) -> None:
    with pytest.raises(ValueError, match="one thing"):
        Scope(task_type="steps", tool="fake.void")
    with refused("a_stop_is_for_one_thing"):
        Stop.objects.create(
            lock="effects", why="x", stopped_by="Ada", task_type="steps", tool="fake.void"
        )


@pytest.mark.parametrize("scope", [None, Scope(task_type="steps"), Scope(tool="fake.keyed")])
def test_a_stop_of_new_runs_refuses_the_start_it_is_for(engine: Bench, scope: Scope | None) -> None:
    """A stop of a tool refuses what may use it: its task declares it."""
    stops.stop(scope, "new_runs", why="flood", actor=ADA)
    with pytest.raises(StoppedError, match="flood"):
        engine.start("steps")
    assert not Run.objects.exists()


@pytest.mark.parametrize("scope", [Scope(task_type="strict"), Scope(tool="fake.unheard")])
def test_a_stop_of_new_runs_lets_others_start(engine: Bench, scope: Scope) -> None:
    stops.stop(scope, "new_runs", why="flood", actor=ADA)
    assert engine.start("steps").status == "queued"


def test_a_stop_of_everything_holds_for_every_tenant(engine: Bench) -> None:
    stops.stop(None, "effects", why="incident", actor=ADA)
    for tenant in (engine.tenant, make_tenant("other")):
        with pytest.raises(StoppedError):
            stops.refuse_if_stopped("effects", under(tenant))


def test_a_person_stops_what_they_may_operate(engine: Bench) -> None:
    ada_here = Actor.person(engine.starter)
    assert stops.stop(engine.tenant, "effects", why="x", actor=ada_here).stopped_by == "Ada"
    assert stops.stop(None, "effects", why="x", actor=ada_here).tenant is None


@pytest.mark.parametrize(
    ("who", "where", "code"),
    [("bob", "here", "no_right"), ("ada", "everywhere", "not_everywhere")],
)
def test_a_person_without_the_right_stops_nothing_and_is_on_record(
    engine: Bench, who: str, where: str, code: str
) -> None:
    """Everything takes the right at every tenant: Ada has none at the other."""
    make_tenant("other")
    user = {"bob": bob(engine.tenant), "ada": engine.starter}[who]
    tenant = engine.tenant if where == "here" else None
    with pytest.raises(StopRefusedError) as refusal:
        stops.stop(tenant, "effects", why="x", actor=Actor.person(user))
    assert refusal.value.code == code
    assert not Stop.objects.exists()
    row = AuditRow.objects.get(verb="refused_stop")
    assert (row.tenant, row.detail, row.actor_name) == (tenant, {"code": code}, str(user))


def test_who_has_left_stops_nothing(engine: Bench) -> None:
    actor = Actor.person(engine.starter)
    User.objects.update(is_active=False)
    for tenant in (engine.tenant, None):
        with pytest.raises(StopRefusedError):
            stops.stop(tenant, "effects", why="x", actor=actor)


def test_a_stranger_stops_nothing(engine: Bench) -> None:
    with pytest.raises(StopRefusedError) as refusal:
        stops.stop(engine.tenant, "effects", why="x", actor=Actor.stranger("192.0.2.7"))
    assert refusal.value.code == "machine"


def test_the_database_refuses_a_second_open_stop_of_one_scope(engine: Bench) -> None:
    for tenant in (None, engine.tenant):
        Stop.objects.create(tenant=tenant, lock="effects", why="x", stopped_by="Ada")
        with refused("one_open_stop_per_scope_and_lock"):
            Stop.objects.create(tenant=tenant, lock="effects", why="x", stopped_by="Ada")


def test_the_database_refuses_an_unknown_lock_and_a_stop_without_a_reason(engine: Bench) -> None:
    with refused("a_stop_locks_new_runs_or_effects"):
        Stop.objects.create(lock="everything", why="x", stopped_by="Ada")
    with refused("a_stop_says_why"):
        Stop.objects.create(lock="effects", why="", stopped_by="Ada")


def test_the_database_refuses_to_change_or_forget_a_stop(engine: Bench) -> None:
    Stop.objects.create(lock="effects", why="x", stopped_by="Ada")
    for change in ({"why": "y"}, {"lock": "new_runs"}, {"tool": "t"}, {"tenant": engine.tenant}):
        with refused("a_stop_never_changes"):
            Stop.objects.update(**change)
    with refused("only ever added"):
        Stop.objects.all().delete()


def under(tenant: Tenant) -> Under:
    """What a run of the task "steps" that writes falls under."""
    return Under(tenant.pk, "steps", combo_of("steps").pk, ("fake.void",))
