"""A crossed gate plans a rollback for a person, or rolls back by itself once, where the policy says so."""

from typing import Any

import pytest
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints.models import Case, Route
from checkpoints.registry import combo_of
from releases import beginning, moving, watching
from releases.beginning import Candidate
from releases.gates import policies, standing
from releases.gates.standing import NotFromHereError, Standing, moved
from releases.models import Release
from releases.rollbacks import ordering, phases, proposing, working
from releases.rollbacks.models import Rollback
from tenants.actors import Actor
from tests.checkpoints.combos import another
from tests.checkpoints.records import by_force, refused
from tests.reconciliation.deskwork import guards_off
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db

GATES = Actor.machine("gates")
BY_ITSELF = {**policies.USUAL.as_json(), "on_stop": "roll_back"}


def stopped(rolling: Rolling, **begun: Any) -> Release:
    release = rolling.canary(**begun)
    rolling.run()
    assert moving.stop_by_machine(release.pk, why=ours("A duplicate arrived."), actor=GATES)
    release.refresh_from_db()
    return release


def round_of(times: int = 1) -> None:
    for _ in range(times):
        for pace in (working._looks, working._pace):
            pace.forget()
        working.carry()


def test_a_stop_by_machine_plans_a_rollback_for_a_person(rolling: Rolling) -> None:
    release = stopped(rolling)
    round_of(3)
    rollback = Rollback.objects.get()
    assert (rollback.release, rollback.phase, rollback.proposed_by) == (release, "planned", None)
    assert "duplicate" in rollback.why
    ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    assert rolling.carry(rollback).phase == phases.CLOSED
    assert not Release.objects.get().is_frozen


def test_where_the_policy_says_so_it_starts_by_itself(rolling: Rolling) -> None:
    stopped(rolling, policy=BY_ITSELF)
    round_of(3)
    rollback = Rollback.objects.get()
    assert (rollback.started_by, phases.is_at_least(rollback.phase, "reconciling")) == (None, True)
    assert Release.objects.get().is_frozen
    assert rolling.carry(rollback).phase == phases.CLOSED


def test_a52_metrics_that_stay_bad_roll_nothing_back_again(rolling: Rolling) -> None:
    stopped(rolling, policy=BY_ITSELF)
    round_of(3)
    assert rolling.carry(Rollback.objects.get()).phase == phases.CLOSED
    next_one = another("steps", "yet another prompt")
    wanted = Candidate(next_one, "better again", policy=BY_ITSELF)
    release = beginning.begin(rolling.traffic.tenant, wanted, user=rolling.traffic.ada)
    assert release.is_frozen
    release = rolling.traffic.move(release, standing.BEGIN)
    rolling.run(next_one)
    assert moving.stop_by_machine(release.pk, why=ours("Bad again."), actor=GATES)
    round_of(4)
    second = Rollback.objects.get(release=release)
    assert (second.phase, second.started_at) == (phases.PLANNED, None)
    assert rolling.traffic.route().stable == combo_of("steps")


def test_a_policy_does_not_start_what_a_person_proposed(rolling: Rolling) -> None:
    rolling.propose(rolling.canary(policy=BY_ITSELF))
    round_of(2)
    assert Rollback.objects.get().phase == phases.PLANNED


def test_what_a_person_took_back_is_not_planned_again(rolling: Rolling) -> None:
    stopped(rolling)
    round_of()
    proposing.withdraw(Rollback.objects.get().pk, user=rolling.traffic.dee)
    round_of(2)
    assert Rollback.objects.count() == 1


def test_a_candidate_that_did_nothing_needs_no_rollback(rolling: Rolling) -> None:
    release = rolling.traffic.move(rolling.traffic.begin(), standing.BEGIN)
    moving.stop_by_machine(release.pk, why=ours("No."), actor=GATES)
    round_of(2)
    assert not Rollback.objects.exists()


def test_a_frozen_release_is_rolled_back_by_people_only() -> None:
    frozen = Standing("canary", is_frozen=True)
    with pytest.raises(NotFromHereError):
        moved(frozen, standing.ROLL_BACK, by_person=False)
    assert moved(frozen, standing.ROLL_BACK, by_person=True).place == "stopped"


def unsafe(rolling: Rolling, release: Release) -> None:
    """One of its effects arrived twice."""
    run = rolling.done()
    with by_force():
        Case.objects.create(
            tenant=release.tenant,
            run=run,
            kind="duplicate_effect",
            action_id=run.actions.get().pk,
            sentence="It arrived twice.",
            fingerprint=str(run.pk),
        )


def watched() -> None:
    watching._pace.forget()
    watching.watch()


def test_a_broken_safety_constraint_stops_and_rolls_back_at_the_first(rolling: Rolling) -> None:
    release = rolling.canary()
    unsafe(rolling, release)
    watched()
    assert Release.objects.get().place == standing.STOPPED
    round_of(3)
    rollback = Rollback.objects.get()
    assert (rollback.started_by, phases.is_at_least(rollback.phase, "reconciling")) == (None, True)
    assert Release.objects.get().is_frozen
    # What arrived is for people: it does not close by itself.
    assert rolling.carry(rollback, until=phases.CLOSING).ended == ""


def test_a_stable_combo_that_is_unsafe_is_rolled_back_too(rolling: Rolling) -> None:
    release = rolling.canary()
    with guards_off():
        Release.objects.update(place=standing.STABLE, share=0, share_of_critical=0)
        Route.objects.update(
            stable=release.candidate, candidate=None, share=0, share_of_critical=0, salt=""
        )
    round_of()
    assert not Rollback.objects.exists()
    unsafe(rolling, release)
    round_of(4)
    assert Rollback.objects.get().started_by is None
    assert rolling.traffic.route().stable == combo_of("steps")


def test_a_policy_may_leave_what_is_unsafe_to_a_person(rolling: Rolling) -> None:
    release = rolling.canary(policy={**policies.USUAL.as_json(), "on_unsafe": "propose"})
    unsafe(rolling, release)
    watched()
    round_of(3)
    rollback = Rollback.objects.get()
    assert (rollback.phase, rollback.started_at) == (phases.PLANNED, None)
    with refused("a_rollback_starts_on_the_word_of_a_person"):
        Rollback.objects.update(phase=phases.STOPPING, started_at=Now())
