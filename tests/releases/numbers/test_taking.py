"""The numbers of an arm, each from the facts it is made of."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from checkpoints import recoveries
from checkpoints.models import Event, Recovery, Run
from execution.costs import ASKED
from execution.recoveries import reading
from execution.recoveries.wanted import Wanted
from reconciliation import sampling
from reconciliation.models import Action
from reconciliation.tools import Found
from releases.gates import policies, verdicts
from releases.gates.samples import Cost, Count, Effects
from releases.gates.verdicts import judge
from releases.numbers import runs, subjects, taking
from tests.checkpoints.records import by_force
from tests.people import make_tenant
from tests.reconciliation.oddtools import put
from tests.releases.numbers.conftest import World

pytestmark = pytest.mark.django_db


def test_runs_are_counted_by_arm_and_end(world: World) -> None:
    _, failed, cancelled = (world.ran() for _ in range(3))
    with by_force():
        Run.objects.filter(pk=failed.pk).update(status="failed")
        Run.objects.filter(pk=cancelled.pk).update(status="cancelled")
    world.began()
    seen = taking.take(world.subject)
    mine, theirs = seen.candidate, seen.stable
    assert (mine.assigned, mine.ended, mine.failed) == (3, 3, Count(1, 2))
    assert (theirs.assigned, theirs.ended, theirs.failed) == (1, 0, Count(0, 0))


def test_a_run_that_was_moved_stays_with_the_combo_it_began_under(world: World) -> None:
    run = world.ran()
    world.move(run)
    seen = taking.take(world.subject)
    assert (seen.candidate.assigned, seen.stable.assigned) == (1, 0)


def test_what_is_not_alike_in_both_arms_is_in_neither(world: World) -> None:
    critical, shadow, older, foreign = (world.ran() for _ in range(4))
    before = timezone.now() - timedelta(hours=1)
    with by_force():
        Run.objects.filter(pk__in=[older.pk, foreign.pk]).update(critical=False)
        Run.objects.filter(pk=shadow.pk).update(mode="shadow")
        Run.objects.filter(pk=foreign.pk).update(tenant=make_tenant("globex"))
        Run.objects.filter(pk=older.pk).update(created_at=before)
    alike = replace(world.subject, with_critical=False)
    assert taking.take(alike).candidate.assigned == 0
    assert taking.take(world.subject).candidate.assigned == 1
    shadowed = replace(world.subject, mode=subjects.SHADOW)
    assert taking.take(shadowed).candidate.assigned == 1
    Run.objects.filter(pk=critical.pk).update(critical=False)
    assert taking.take(alike).candidate.assigned == 1


def test_a45_a_run_that_no_worker_takes_counts_as_one_that_needs_a_person(world: World) -> None:
    due = {"due_at": timezone.now() - timedelta(seconds=runs.NOT_TAKEN_SECONDS + 1)}
    queued, woken = world.began(world.candidate), world.ran(tool="fake.look_up", what="a")
    Run.objects.filter(pk=queued.pk).update(**due)
    world.began(world.candidate)
    assert taking.take(world.subject).candidate.held == Count(1, 3)
    # It waits for people; that is nothing by itself, until it is due and nobody comes.
    assert Run.objects.filter(pk=woken.pk, status="waiting").update(**due) == 1
    assert taking.take(world.subject).candidate.held == Count(2, 3)


def test_recoveries_agree_with_the_page_that_shows_them(world: World) -> None:
    ends = ("recovered", "recovered", "by_person", "", "interrupted")
    for fence, how in enumerate(ends):
        run = world.ran()
        recoveries.begin(run.id, fence=fence + 10, why="killed")
        if how:
            recoveries.end(run.id, how=how)
    seen = taking.take(world.subject).candidate
    page = reading.total(world.bench.tenant, Wanted(task_type="steps"), now=timezone.now())
    assert seen.recovered == Count(page.recovered, page.begun) == Count(2, 4)
    assert sorted(each.over for each in seen.spells) == [False, False, True, True]


def test_what_is_under_way_has_taken_as_long_as_the_database_says(world: World) -> None:
    recoveries.begin(world.ran().id, fence=9, why="killed")
    Recovery.objects.update(noticed_at=timezone.now() - timedelta(seconds=120))
    (spell,) = taking.take(world.subject).candidate.spells
    assert not spell.over
    assert spell.took >= 120_000


def test_a_recovery_with_impossible_times_is_unread(world: World) -> None:
    recoveries.begin(world.ran().id, fence=9, why="killed")
    recoveries.end(Recovery.objects.get().run_id, how="recovered")
    Recovery.objects.update(new_boundary_at=timezone.now() - timedelta(days=1))
    seen = taking.take(world.subject).candidate
    assert (seen.recovered, seen.spells, seen.spells_unread) == (Count(1, 1), (), 1)


def test_answers_of_people_are_counted_and_open_questions_are_not(world: World) -> None:
    world.effect()
    world.effect("reject")
    world.ran(tool="fake.look_up", what="b")
    assert taking.take(world.subject).candidate.rejected == Count(1, 2)


def test_a_run_costs_what_its_model_calls_noted(world: World) -> None:
    world.ran()
    world.ran()
    assert taking.take(world.subject).candidate.cost == Cost(2, 3.0, 0.0)


def test_a_run_that_asked_a_model_and_has_no_note_of_it_is_unread(world: World) -> None:
    _, unnoted, unsound = (world.ran() for _ in range(3))
    with by_force():
        Event.objects.filter(run=unnoted, what=ASKED).delete()
        Event.objects.filter(run=unsound, what=ASKED).update(detail={"tokens": "three"})
    assert taking.take(world.subject).candidate.cost == Cost(1, 3.0, 0.0, unread=2)


def test_effects_are_those_that_were_looked_up_and_those_there_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = put(monkeypatch, "fake.look_up")
    world.effect()
    run = world.effect()
    assert taking.take(world.subject).candidate.effects == Effects(happened=2)
    tool.looking_up = lambda _: Found(b"{}", count=2)
    sampling.check(Action.objects.select_related("tenant", "run").get(run=run))
    seen = taking.take(world.subject)
    assert seen.candidate.effects == Effects(happened=2, checked=1, arrived=1)
    broken = {each.name: each for each in seen.safety if each.broken}
    assert list(broken) == ["duplicate_arrived"]
    assert broken["duplicate_arrived"].examples == (str(run.pk),)
    assert judge(seen, policies.USUAL, look=0).verdict == verdicts.STOP


def test_a46_a_read_that_fails_is_broken_telemetry_and_no_zero(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ran()
    monkeypatch.setattr(runs, "RUNS", "SELECT 1 / 0")
    seen = taking.take(world.subject)
    assert seen.candidate.failed == Count(unread=1)
    found = {each.measure: each.verdict for each in judge(seen, policies.USUAL, look=1).findings}
    assert found["failure"] == found["held"] == verdicts.TELEMETRY_BROKEN
    assert found["rejection"] == verdicts.NOT_ENOUGH_EVIDENCE


def test_a47_nothing_at_all_is_not_enough_evidence_and_holds(world: World) -> None:
    whole = judge(taking.take(world.subject), policies.USUAL, look=1)
    assert whole.verdict == verdicts.HOLD
    assert {each.verdict for each in whole.findings} == {verdicts.NOT_ENOUGH_EVIDENCE}
