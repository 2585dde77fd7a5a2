"""Which kills follow from what was recorded."""

import random
from dataclasses import replace

from tests.crash import plan
from tests.crash.points import HORSE, JUDGE, PARENT, PERSON, SWEEP, Point, until_progress
from tests.crash.test_judge import KILLED, REFERENCE
from tests.crash.trials import Trial

RNG = random.Random(1)
BEFORE, AFTER = Point(HORSE, 1, "commit:before@1"), Point(HORSE, 1, "commit:after@1")
DECIDE, ROUND = Point(PERSON, 1, "decide:before@1"), Point(SWEEP, 1, "sweep ring due:before@1")
LAPSE = Point(PARENT, 1, "lapse:before@1")


def test_a_horse_dies_with_and_without_its_parent() -> None:
    recorded = replace(REFERENCE, reached=(BEFORE, DECIDE, ROUND))
    assert plan.singly(recorded) == [
        Trial("void", (BEFORE,), PARENT),
        Trial("void", (BEFORE,), SWEEP),
        Trial("void", (DECIDE,)),
        Trial("void", (ROUND,), sweeps=True),
    ]


def test_where_recoveries_are_not_killed_deaths_are_noticed_in_turns() -> None:
    late = replace(REFERENCE, trial=Trial("late_void"))
    dispatch, effect = Point(HORSE, 2, "dispatch:before@1"), Point(HORSE, 2, "effect:before@1")
    assert [
        (trial.kills, trial.noticed_by)
        for trial in plan.singly(replace(late, reached=(BEFORE, dispatch, effect)))
    ] == [((dispatch,), PARENT), ((effect,), SWEEP)]


def test_runs_in_the_same_condition_are_killed_again_once() -> None:
    like = replace(KILLED, reached=(LAPSE, BEFORE, AFTER), conditions=("head 1",))
    other = replace(like, trial=Trial("void", (AFTER,)), conditions=("head 2",))
    again = plan.again([like, like, other], RNG)
    assert [trial.kills for trial in again] == [
        (first, second) for first in (BEFORE, AFTER) for second in (LAPSE, BEFORE, AFTER)
    ]


def test_a_recovery_is_over_soon_after_its_first_boundary() -> None:
    acquire, later = Point(HORSE, 1, "acquire:after@1"), Point(HORSE, 1, "commit:before@2")
    reached = [acquire, BEFORE, AFTER, later, Point(HORSE, 1, "commit:after@2")]
    reached.append(Point(HORSE, 1, "commit:before@3"))
    assert until_progress(reached) == reached[:-1]


def test_any_round_of_the_sweeper_may_die() -> None:
    assert until_progress([ROUND, replace(ROUND, nth=2)]) == [replace(ROUND, nth=0)]


def test_the_short_form_kills_at_every_boundary_of_every_role() -> None:
    points = [BEFORE, AFTER, DECIDE, ROUND, replace(BEFORE, at="commit:before@2")]
    trials = [Trial(name, (point,)) for name in ("void", "keyed") for point in points]
    chosen = plan.short(trials, RNG)
    places = [(trial.kills[0].role, trial.kills[0].boundary) for trial in chosen]
    assert len(places) == 4
    assert set(places) == {(point.role, point.boundary) for point in points}
    assert {trial.scenario for trial in chosen} == {"void", "keyed"}


def test_a_statement_is_killed_of_whom_its_scenario_is_killed() -> None:
    said, sent = Point(JUDGE, 1, "sql:before@3"), Point(HORSE, 1, "sql:before@9")
    recorded = replace(REFERENCE, reached=(said, sent, DECIDE))
    ruled, void = (
        plan.at_statements(replace(recorded, trial=Trial(name))) for name in ("ruled_back", "void")
    )
    assert [trial.kills for trial in ruled] == [(said,)]
    assert [trial.kills for trial in void] == [(said,), (sent,)]


def test_what_is_in_doubt_in_the_short_form_is_found_out_by_a_horse_that_is_killed() -> None:
    doubt = replace(BEFORE, at="effect:after@1")
    asked = Trial("keyed", (doubt,), PARENT)
    others = [Trial("keyed", (doubt,), SWEEP), Trial("nothing", (doubt,), PARENT)]
    assert plan.short([*others, asked], RNG) == [asked]


def test_the_second_kills_of_the_short_form_are_where_nobody_died_yet() -> None:
    seen = [Trial("void", (BEFORE,))]
    further = [Trial("void", (BEFORE, point)) for point in (BEFORE, LAPSE, replace(LAPSE, nth=0))]
    assert [trial.kills[1].boundary for trial in plan.unseen(further, seen, RNG)] == [
        "lapse:before"
    ]
