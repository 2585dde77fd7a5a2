"""What PostgreSQL refuses of a rollback, whoever writes."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from checkpoints.models import Run
from releases.gates import policies, standing
from releases.models import Move, Release
from releases.rollbacks import choosing, phases
from releases.rollbacks.models import Rollback, RollbackOrder, RollbackRun
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db


def refused(rollback: Rollback, rule: str, **change: Any) -> None:
    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        Rollback.objects.filter(pk=rollback.pk).update(**change)


def test_it_starts_on_the_word_of_a_person(rolling: Rolling) -> None:
    rollback = rolling.propose(rolling.canary())
    begun = {"phase": "stopping", "started_at": Now()}
    refused(rollback, "a_rollback_starts_on_the_word_of_a_person", **begun)
    refused(
        rollback,
        "a_rollback_starts_on_the_word_of_a_person",
        **begun,
        started_by=rolling.traffic.ada,
    )


def test_no_phase_is_jumped_over_or_gone_back_to(rolling: Rolling) -> None:
    rollback = rolling.carry(rolling.start(rolling.canary()), until=phases.STOPPING)
    refused(rollback, "a_rollback_stops_the_combo_first", phase=phases.HOLDING)
    for phase in phases.PHASES:
        if phase not in (phases.STOPPING, phases.HOLDING):
            ended = {"ended": "closed", "ended_at": Now()} if phase == phases.CLOSED else {}
            refused(rollback, "the_phases_of_a_rollback_follow_each_other", phase=phase, **ended)


def test_the_whole_combo_is_restored_before_anything_is_reconciled(rolling: Rolling) -> None:
    rollback = rolling.carry(rolling.start(rolling.canary()), until=phases.RESTORING)
    refused(rollback, "a_rollback_restores_the_whole_combo", phase=phases.RECONCILING)


def test_what_was_shown_stays(rolling: Rolling) -> None:
    rollback = rolling.propose(rolling.canary())
    changes: list[dict[str, Any]] = [{"choices": {}}, {"why": "x"}, {"needs_second": True}]
    for change in changes:
        refused(rollback, "a_rollback_stays_what_was_shown", **change)


def test_one_that_began_is_never_given_up(rolling: Rolling) -> None:
    rollback = rolling.start(rolling.canary())
    refused(rollback, "a_rollback_that_began_is_closed", ended="withdrawn", ended_at=Now())


def test_a_paused_one_stands(rolling: Rolling) -> None:
    rollback = rolling.carry(rolling.start(rolling.canary()), until=phases.HOLDING)
    Rollback.objects.update(paused_at=Now(), paused_by=rolling.traffic.ada)
    refused(rollback, "a_paused_rollback_stands", phase=phases.RESTORING)


def test_two_unfinished_of_one_release_are_one_too_many(rolling: Rolling) -> None:
    rollback = rolling.propose(rolling.canary())
    rollback.pk, rollback.number = None, 7
    with pytest.raises(IntegrityError, match="one_unfinished_rollback_per_release"):
        rollback.save(force_insert=True)


def test_a_roll_back_is_made_in_its_third_phase_alone(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.start(release)
    move = Move.objects.create(
        release=release,
        tenant=release.tenant,
        number=9,
        kind=standing.ROLL_BACK,
        place="stopped",
        shown=b"{}",
        digest="0" * 64,
        why="now",
        actor="somebody",
        expires_at=Release.objects.get().begun_at,
    )
    with pytest.raises(IntegrityError, match="a_roll_back_is_the_third_phase_of_a_rollback"):
        Move.objects.filter(pk=move.pk).update(ended="made", ended_at=Now())


def test_what_becomes_of_a_run_is_chosen_by_people(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.run()
    rollback = rolling.start(release)
    mine = RollbackRun.objects.filter(run=run)
    for change in ({"choice": "cancel"}, {"choice": "fork", "chosen_by": rolling.traffic.ada}):
        with (
            pytest.raises(IntegrityError, match="a_person_chooses_what_becomes_of_a_run"),
            transaction.atomic(),
        ):
            mine.update(**change)
    with (
        pytest.raises(IntegrityError, match="a_forward_only_run_gets_another_choice"),
        transaction.atomic(),
    ):
        mine.update(kind=phases.FORWARD_ONLY)
    choosing.choose(rollback.pk, [run.pk], "cancel", why="nonsense", user=rolling.traffic.ada)
    assert mine.get().choice == "cancel"


def test_what_people_said_stays_on_record(rolling: Rolling) -> None:
    rolling.start(rolling.canary())
    with pytest.raises(IntegrityError, match="stays_on_record"):
        RollbackOrder.objects.update(said="second")


def test_a_run_is_held_by_one_rollback(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.run()
    rollback = rolling.propose(release)
    assert rollback.runs.get().holds
    with (
        pytest.raises(IntegrityError, match="what_was_released_stays_on_record"),
        transaction.atomic(),
    ):
        rollback.runs.all().delete()
    assert Run.objects.get(pk=run.pk).status == "queued"


def test_two_people_start_what_needs_a_second(rolling: Rolling) -> None:
    policy = {**policies.USUAL.as_json(), "roll_back_people": 2}
    rollback = rolling.propose(rolling.canary(policy=policy))
    said = {"tenant": rollback.tenant, "digest": rollback.digest, "user": rolling.traffic.ada}
    RollbackOrder.objects.create(rollback=rollback, said="start", **said)
    begun = {"phase": "stopping", "started_at": Now(), "started_by": rolling.traffic.ada}
    refused(rollback, "two_people_roll_back_what_needs_a_second", **begun)
    RollbackOrder.objects.create(rollback=rollback, said="second", **said)
    refused(rollback, "two_people_roll_back_what_needs_a_second", **begun)
