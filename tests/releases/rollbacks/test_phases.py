"""A rollback goes through its six phases in order, and closes when nothing of it is open."""

import pytest

from checkpoints import runs, stops
from checkpoints.errors import StoppedError
from checkpoints.models import Checkpoint, Stop
from checkpoints.registry import combo_of
from releases.errors import ReleaseRefusedError
from releases.gates import standing
from releases.models import Move, Release
from releases.rollbacks import carrying, ordering, phases, reading
from releases.rollbacks.models import OutstandingEffect
from tenants.models import AuditRow
from tests.checkpoints.lifts import lifted
from tests.engine.faketools import effects
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db


def test_from_a_bad_canary_to_an_empty_board(rolling: Rolling) -> None:
    release = rolling.canary()
    done, asking, idle = rolling.done(), rolling.asking(what="b"), rolling.run()
    rollback = rolling.carry(rolling.start(release), until=phases.CLOSING)
    carried = AuditRow.objects.filter(verb="carried rollback on").order_by("audit_id")
    assert [row.detail["phase"] for row in carried] == list(phases.SIX[1:])
    rolling.turns()
    # What asked for a yes is withdrawn with its combo, and asks anew under the older one.
    for run in (asking, idle):
        run.refresh_from_db()
        assert run.combo == combo_of("steps")
    assert rolling.question(asking).state == "open"
    assert [effect["what"] for effect in effects()] == ["a-0"]
    carrying.carry_on(rollback.pk)
    # What it did stays open until a person says that it may stand.
    assert list(rollback.effects.filter(signed_off="").values_list("action__run", flat=True)) == [
        done.pk
    ]
    release.refresh_from_db()
    found = reading.standing(release)
    assert found is not None
    assert found.sentence == "Rolled back, 1 effect open."
    carrying.carry_on(rollback.pk)
    rollback.refresh_from_db()
    assert (rollback.phase, rollback.ended) == (phases.CLOSING, "")
    rolling.accept_all(rollback)
    rollback = rolling.carry(rollback)
    assert (rollback.phase, rollback.ended) == (phases.CLOSED, "closed")
    closed = reading.standing(release)
    assert closed is not None
    assert closed.sentence == "Rolled back, nothing open."


def test_new_runs_of_the_combo_stop_first_and_stay_stopped(rolling: Rolling) -> None:
    release = rolling.canary()
    rollback = rolling.carry(rolling.start(release), until=phases.HOLDING)
    with pytest.raises(StoppedError):
        rolling.run()
    rollback = rolling.carry(rollback)
    assert rollback.phase == phases.CLOSED
    with pytest.raises(StoppedError):
        rolling.run()
    assert rolling.run(combo_of("steps")).combo == combo_of("steps")
    assert set(Stop.objects.filter(lifted_at=None).values_list("lock", "combo")) == {
        ("new_runs", rolling.traffic.candidate.pk),
        ("effects", rolling.traffic.candidate.pk),
    }


def test_a_run_that_a_worker_is_at_is_waited_for(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.run()
    lease = rolling.bench.acquire()
    rollback = rolling.carry(rolling.start(release), until=phases.HOLDING)
    assert not carrying.carry_on(rollback.pk)
    rollback.refresh_from_db()
    assert (rollback.phase, "1 run that a worker is at" in rollback.waits_for) == (
        phases.HOLDING,
        True,
    )
    assert rolling.traffic.route().candidate == rolling.traffic.candidate
    runs.yield_to_others(lease)
    assert carrying.carry_on(rollback.pk)
    run.refresh_from_db()
    assert (run.status, run.reason, run.due_at) == ("waiting", "for_stop", None)


def test_traffic_goes_back_in_one_move(rolling: Rolling) -> None:
    release = rolling.canary()
    rollback = rolling.carry(rolling.start(release), until=phases.RECONCILING)
    move = Move.objects.latest("number")
    assert (move.kind, move.ended, move.made_by) == (
        standing.ROLL_BACK,
        "made",
        rolling.traffic.ada,
    )
    route = rolling.traffic.route()
    assert (route.stable, route.candidate, route.share) == (combo_of("steps"), None, 0)
    release = Release.objects.get()
    assert (release.place, release.is_frozen) == ("stopped", False)
    assert rollback.to_combo == route.stable


def test_a_paused_rollback_stands_and_goes_on(rolling: Rolling) -> None:
    release = rolling.canary()
    rollback = rolling.carry(rolling.start(release), until=phases.HOLDING)
    ordering.pause(rollback.pk, user=rolling.traffic.dee)
    assert not carrying.carry_on(rollback.pk)
    rollback.refresh_from_db()
    assert rollback.phase == phases.HOLDING
    ordering.go_on(rollback.pk, user=rolling.traffic.ada)
    assert rolling.carry(rollback).phase == phases.CLOSED


def test_a_stop_that_is_lifted_meanwhile_is_set_again(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.done()
    rollback = rolling.carry(rolling.start(release), until=phases.CLOSING)
    lifted(Stop.objects.get(lock="effects"))
    carrying.carry_on(rollback.pk)
    assert stops.in_force(rolling.traffic.tenant.pk, "effects").count() == 1


def test_a50_no_run_is_ever_on_two_combos(rolling: Rolling) -> None:
    release = rolling.canary()
    made = [rolling.asking(), rolling.run(), rolling.run(steps=5)]
    rolling.carry(rolling.start(release))
    old, new = combo_of("steps").pk, rolling.traffic.candidate.pk
    for run in made:
        steps = Checkpoint.objects.filter(run=run).order_by("seq").values_list("combo", flat=True)
        seen = list(dict.fromkeys(steps))
        assert seen in ([new, old], [old]), "one after the other, and never back"
        run.refresh_from_db()
        assert run.combo_id == old


def test_an_effect_is_listed_under_the_combo_that_proposed_it(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.asking()
    rollback = rolling.carry(rolling.start(release))
    assert rollback.phase == phases.CLOSED
    [listed] = OutstandingEffect.objects.all()
    # The question that the older combo asks now is an effect of that.
    assert (listed.state, listed.signed_off) == ("refused", "reconciled")


def test_what_was_rolled_back_is_lifted_only_once_its_stops_are(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.carry(rolling.start(release))
    with pytest.raises(ReleaseRefusedError, match="lift that stop first"):
        rolling.traffic.propose(release, standing.LIFT)
    for stop in Stop.objects.all():
        lifted(stop)
    assert rolling.traffic.move(release, standing.LIFT).place == standing.SHADOW
