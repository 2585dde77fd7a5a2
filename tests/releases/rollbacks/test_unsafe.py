"""A broken safety constraint stops and rolls back at the first: in every place, whoever is waited for."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest

from approvals import clock
from checkpoints.models import Case, Route, Run, Stop
from checkpoints.registry import combo_of
from releases import beginning
from releases.beginning import Candidate
from releases.gates import policies, standing
from releases.models import Move, Release
from releases.rollbacks import ordering, phases, proposing, unsafe
from releases.rollbacks.errors import RollbackRefusedError
from releases.rollbacks.models import Rollback
from tests.checkpoints.combos import another
from tests.checkpoints.records import by_force
from tests.reconciliation.deskwork import guards_off
from tests.releases.rollbacks.rolling import TOOLS, Rolling
from tests.releases.rollbacks.test_machine import round_of, watched

pytestmark = pytest.mark.django_db

LEFT_TO_PEOPLE: Final = {**policies.USUAL.as_json(), "on_unsafe": "propose"}


def breach(run: Run) -> None:
    """Its effect arrived twice."""
    with by_force():
        Case.objects.create(
            tenant=run.tenant,
            run=run,
            kind="duplicate_effect",
            action_id=run.actions.get().pk,
            sentence="It arrived twice.",
            fingerprint=str(run.pk),
            closed_at=clock.now(),
        )


def new(rolling: Rolling, **begun: Any) -> Release:
    release = rolling.traffic.begin(**begun)
    rolling.traffic.climb(*TOOLS)
    return release


def shadow(rolling: Rolling, **begun: Any) -> Release:
    return rolling.traffic.move(new(rolling, **begun), standing.BEGIN)


def canary(rolling: Rolling, **begun: Any) -> Release:
    return rolling.canary(**begun)


def stable(rolling: Rolling, **begun: Any) -> Release:
    release = rolling.canary(**begun)
    with guards_off():
        Release.objects.update(place=standing.STABLE, share=0, share_of_critical=0)
        Route.objects.update(
            stable=release.candidate, candidate=None, share=0, share_of_critical=0, salt=""
        )
    release.refresh_from_db()
    return release


def stopped(rolling: Rolling, **begun: Any) -> Release:
    return rolling.traffic.move(rolling.canary(**begun), standing.STOP)


def nothing(rolling: Rolling, release: Release) -> None:
    """Nobody is waited for."""


def a_move_waits(rolling: Rolling, release: Release) -> None:
    leads = {"new": standing.BEGIN, "stopped": standing.LIFT}
    kind = leads.get(release.place, standing.STOP)
    rolling.traffic.propose(release, kind)


def a_plan_waits(rolling: Rolling, release: Release) -> None:
    rolling.propose(release)


def a_plan_was_taken_back(rolling: Rolling, release: Release) -> None:
    proposing.withdraw(rolling.propose(release).pk, user=rolling.traffic.ada)


def a_plan_expired(rolling: Rolling, release: Release) -> None:
    rolling.propose(release)
    with guards_off():
        Rollback.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    round_of()
    assert Rollback.objects.get().ended == phases.EXPIRED


def one_on_top_is_new(rolling: Rolling, release: Release) -> None:
    begin_on_top(rolling)


def one_on_top_is_a_shadow(rolling: Rolling, release: Release) -> None:
    begin_on_top(rolling, standing.BEGIN)


def one_on_top_is_a_canary(rolling: Rolling, release: Release) -> None:
    begin_on_top(rolling, standing.BEGIN, standing.WIDEN)


def begin_on_top(rolling: Rolling, *moves: str) -> Release:
    """Another release that would go back to what is stable now; its runs may write."""
    next_one = Candidate(another("steps", "yet another prompt"), "better again")
    release = beginning.begin(rolling.traffic.tenant, next_one, user=rolling.traffic.ada)
    people = {**rolling.traffic.__dict__, "candidate": release.candidate}
    traffic = type(rolling.traffic)(**people)
    traffic.climb(*TOOLS)
    for kind in moves:
        share = 5_000 if kind == standing.WIDEN else 0
        release = traffic.move(release, kind, share)
    return release


PLACES: Final = (new, shadow, canary, stable, stopped)
WAITING: Final = (nothing, a_move_waits, a_plan_waits, a_plan_was_taken_back, a_plan_expired)
# What cannot be: nothing is rolled back from `new`, and nothing moves on from `stable`.
CANNOT_BE: Final = {(new, each) for each in WAITING[2:]} | {(stable, a_move_waits)}
STATES: Final = [(p, w) for p in PLACES for w in WAITING if (p, w) not in CANNOT_BE] + [
    (stable, one_on_top_is_new),
    (stable, one_on_top_is_a_shadow),
    (stable, one_on_top_is_a_canary),
]


@pytest.mark.parametrize(("place", "waiting"), STATES)
def test_it_is_stopped_and_rolled_back_in_every_state(
    rolling: Rolling, place: Callable[..., Release], waiting: Callable[..., None]
) -> None:
    release = place(rolling)
    run = rolling.done()
    waiting(rolling, release)
    breach(run)
    watched()
    round_of(3)
    rollback = Rollback.objects.get(release=release, ended="")
    assert (rollback.proposed_by, rollback.started_by) == (None, None)
    assert phases.is_at_least(rollback.phase, phases.RECONCILING)
    assert not Release.objects.exclude(place=standing.STOPPED).exists()
    assert rolling.traffic.route().stable == combo_of("steps")
    stops = Stop.objects.filter(combo=release.candidate, lifted_at=None)
    assert set(stops.values_list("lock", flat=True)) == {"new_runs", "effects"}


@pytest.mark.parametrize("place", [stable, stopped])
def test_what_a_person_took_back_comes_again_for_a_new_breach_alone(
    rolling: Rolling, place: Callable[..., Release]
) -> None:
    release = place(rolling, policy=LEFT_TO_PEOPLE)
    run = rolling.done()
    for planned in (1, 2):
        breach(run)
        round_of(3)
        plan = Rollback.objects.get(ended="")
        assert (plan.number, plan.proposed_by, plan.phase) == (planned, None, phases.PLANNED)
        assert plan.beside["broken"] == {"duplicate_arrived": [planned, [str(run.pk)] * planned]}
        proposing.withdraw(plan.pk, user=rolling.traffic.dee)
        round_of(3)
        assert Rollback.objects.count() == planned
    assert release.rollbacks.count() == 2


def test_a_plan_of_people_does_not_answer_it(rolling: Rolling) -> None:
    release = stable(rolling)
    run = rolling.done()
    theirs = rolling.propose(release)
    breach(run)
    round_of()
    theirs.refresh_from_db()
    assert (theirs.ended, Rollback.objects.get(ended="").proposed_by) == ("withdrawn", None)


def test_a_worse_breach_does_not_take_a_plan_from_the_hands_of_people(rolling: Rolling) -> None:
    stable(rolling, policy=LEFT_TO_PEOPLE)
    run = rolling.done()
    breach(run)
    round_of()
    plan = Rollback.objects.get()
    ordering.second(plan.pk, plan.digest, user=rolling.traffic.dee)
    breach(run)
    round_of(2)
    ordering.start(plan.pk, plan.digest, user=rolling.traffic.ada)
    assert Rollback.objects.get().phase == phases.STOPPING


def test_what_was_on_top_is_not_planned_back_to_the_unsafe_combo(rolling: Rolling) -> None:
    """Its combo broke nothing: its runs go on, and its release stays stopped."""
    below = stable(rolling, policy=LEFT_TO_PEOPLE)
    run = rolling.done()
    above = begin_on_top(rolling, standing.BEGIN, standing.WIDEN)
    rolling.run(above.candidate)
    breach(run)
    round_of(3)
    above.refresh_from_db()
    assert above.place == standing.STOPPED
    assert "Release 1, which it would go back to, broke" in above.moves.latest("number").why
    plan = Rollback.objects.get()
    assert plan.release == below
    with pytest.raises(RollbackRefusedError, match=f"is withdrawn itself by rollback {plan}"):
        rolling.propose(above)
    rolling.carry(rolling.started(plan), until=phases.CLOSING)
    round_of(3)
    assert Rollback.objects.get() == plan
    with pytest.raises(RollbackRefusedError, match="what is stable has changed since"):
        rolling.propose(above)


def test_of_two_rollbacks_on_each_other_the_one_on_top_restores_first(rolling: Rolling) -> None:
    below = stable(rolling)
    run = rolling.done()
    above = begin_on_top(rolling, standing.BEGIN, standing.WIDEN)
    first = rolling.start(above)
    breach(run)
    unsafe.answer()
    # Nothing leads back yet: what is unsafe may do nothing more until it does.
    assert list(Rollback.objects.all()) == [first]
    assert Stop.objects.filter(combo=below.candidate, lifted_at=None).count() == 2
    rolling.carry(first, until=phases.RECONCILING)
    round_of(3)
    assert phases.is_at_least(Rollback.objects.get(release=below).phase, phases.RECONCILING)
    assert rolling.traffic.route().stable == combo_of("steps")


def test_what_no_rollback_leads_back_from_is_stopped_once(rolling: Rolling) -> None:
    """Another release is stable by now, and a run of this one still writes."""
    release = stopped(rolling)
    run = rolling.done()
    rolling.run()
    with guards_off():
        Route.objects.update(stable=another("steps", "yet another prompt"))
    breach(run)
    round_of(3)
    assert not Rollback.objects.exists()
    stops = Stop.objects.filter(combo=release.candidate, stopped_by="gates")
    assert set(stops.values_list("lock", flat=True)) == {"new_runs", "effects"}
    # Two people lifted it, and know why it was set.
    with by_force():
        stops.update(lifted_at=clock.now(), lifted_by="Ada")
    round_of(3)
    assert stops.count() == 2
    breach(run)
    round_of(3)
    assert stops.filter(lifted_at=None).count() == 2


def test_while_its_rollback_is_paused_what_is_unsafe_does_nothing_more(rolling: Rolling) -> None:
    release = stable(rolling)
    run = rolling.done()
    rollback = rolling.start(release)
    ordering.pause(rollback.pk, user=rolling.traffic.ada)
    breach(run)
    round_of(2)
    assert Rollback.objects.get().phase == phases.STOPPING
    assert Stop.objects.filter(combo=release.candidate, lifted_at=None).count() == 2


def test_a_second_machine_stop_is_none(rolling: Rolling) -> None:
    below = stable(rolling)
    above = begin_on_top(rolling)
    breach(rolling.done())
    unsafe.answer()
    assert above.moves.filter(kind=standing.STOP).count() == 1
    assert below.rollbacks.count() == 1
    unsafe.answer()
    assert above.moves.filter(kind=standing.STOP).count() == 1
    assert Move.objects.filter(release=above, ended="made").count() == 1
