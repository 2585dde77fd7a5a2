"""What becomes of held runs: each goes on, is forked, ends, or waits, as people chose."""

from uuid import uuid4

import pytest
from django.db import connection

from checkpoints.models import Case, Checkpoint, Run
from checkpoints.registry import combo_of
from releases import beginning
from releases.beginning import Candidate
from releases.gates import standing
from releases.rollbacks import carrying, choosing, phases
from releases.rollbacks.errors import RollbackRefusedError
from tests.checkpoints.combos import another
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db

VERSIONS = [
    f"SELECT '{table}', id::text, ctid::text FROM {table}"
    for table in (
        "releases_rollback",
        "releases_rollbackrun",
        "releases_outstandingeffect",
        "checkpoints_run",
        "checkpoints_stop",
        "releases_move",
    )
]


def test_each_run_becomes_what_was_chosen_for_it(rolling: Rolling) -> None:
    release = rolling.canary()
    goes, forks, ends, waits = (rolling.asking(what=what) for what in "abcd")
    rollback = rolling.carry(rolling.start(release), until=phases.RESTORING)
    for run, choice in ((forks, "fork"), (ends, "cancel"), (waits, "wait")):
        choosing.choose(rollback.pk, [run.pk], choice, why="better", user=rolling.traffic.dee)
    rollback = rolling.carry(rollback)
    assert rollback.phase == phases.CLOSED
    became = dict(rollback.runs.values_list("run", "ended"))
    assert became == {
        goes.pk: phases.WENT_ON,
        forks.pk: phases.FORKED,
        ends.pk: phases.CANCELLED,
        waits.pk: phases.WAITS,
    }
    fork = Run.objects.get(forked_from=forks)
    assert (fork.combo, fork.started_by) == (combo_of("steps"), rolling.traffic.dee)
    assert Checkpoint.objects.filter(run=fork).exclude(combo=combo_of("steps")).count() == 0
    waits.refresh_from_db()
    assert (waits.status, waits.reason) == ("waiting", "for_stop")
    assert rolling.question(waits).state == "withdrawn"


def test_a_run_on_hold_moves_and_keeps_its_case(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.asking()
    fault = rolling.bench.fault("login")
    rolling.approve(run)
    rolling.turn(run)
    fault.unlink()
    case = Case.objects.get(run=run)
    rollback = rolling.start(release)
    assert rollback.runs.get().kind == phases.ON_HOLD
    rollback = rolling.carry(rollback)
    run.refresh_from_db()
    assert (rollback.phase, run.status, run.combo) == (
        phases.CLOSED,
        "held",
        combo_of("steps"),
    )
    case.refresh_from_db()
    assert case.closed_at is None


def test_while_it_waits_for_people_nothing_is_written(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.done(what="outside")
    run = rolling.asking()
    fault = rolling.bench.fault("login")
    rolling.approve(run)
    rolling.turn(run)
    fault.unlink()
    rollback = rolling.carry(rolling.start(release, on_hold="cancel"), until=phases.RELEASING)
    carrying.carry_on(rollback.pk)
    assert rollback.runs.get(ended="").said == "It ends when its case is decided."
    before = written()
    assert not carrying.carry_on(rollback.pk)
    assert written() == before


def written() -> set[tuple[str, ...]]:
    """Every row that a step may write, in the version it has."""
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(VERSIONS))
        return set(cursor.fetchall())


def test_a_run_without_a_choice_is_waited_for(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.run()
    rollback = rolling.carry(rolling.start(release), until=phases.RELEASING)
    rollback.runs.update(choice="", chosen_by=None)
    assert not carrying.carry_on(rollback.pk)
    rollback.refresh_from_db()
    assert rollback.waits_for == "Waits for a choice for 1 run."
    choosing.choose(rollback.pk, [run.pk], "cancel", why="enough", user=rolling.traffic.ada)
    assert rolling.carry(rollback).phase == phases.CLOSED
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_what_is_chosen_says_why_and_is_for_runs_of_it(rolling: Rolling) -> None:
    release = rolling.canary()
    run, other = rolling.run(), rolling.run(combo_of("steps"))
    rollback = rolling.start(release)
    with pytest.raises(RollbackRefusedError, match="reason"):
        choosing.choose(rollback.pk, [run.pk], "wait", why=" ", user=rolling.traffic.ada)
    with pytest.raises(RollbackRefusedError, match="decided by now"):
        choosing.choose(rollback.pk, [other.pk], "wait", why="so", user=rolling.traffic.ada)
    with pytest.raises(RollbackRefusedError, match="no choice"):
        choosing.choose(rollback.pk, [run.pk], "jump", why="so", user=rolling.traffic.ada)


def test_runs_that_end_meanwhile_need_nothing(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.run()
    rollback = rolling.start(release)
    rolling.turn(run)
    rollback = rolling.carry(rollback)
    assert (rollback.phase, rollback.runs.get().ended) == (phases.CLOSED, phases.ENDED_ITSELF)


def test_shadows_of_the_combo_end(rolling: Rolling) -> None:
    release = rolling.canary()
    columns = Run.objects.filter(pk=rolling.run().pk).values().get()
    own = {"id": uuid4(), "mode": "shadow"}
    twin = Run.objects.create(**{**columns, **own, "effect_scope": own["id"]})
    rollback = rolling.carry(rolling.start(release))
    rolling.turns()
    twin.refresh_from_db()
    assert (rollback.phase, twin.status) == (phases.CLOSED, "cancelled")


def test_a_rollback_on_top_of_a_canary_is_not_refused(rolling: Rolling) -> None:
    first = rolling.canary()
    rolling.done()
    open_still = rolling.carry(rolling.start(first), until=phases.CLOSING)
    wanted = Candidate(another("steps", "a third prompt"), "better")
    second = beginning.begin(rolling.traffic.tenant, wanted, user=rolling.traffic.ada)
    second = rolling.traffic.move(second, standing.BEGIN)
    rollback = rolling.start(second)
    assert rolling.carry(rollback).ended == "closed"
    open_still.refresh_from_db()
    assert open_still.ended == ""
