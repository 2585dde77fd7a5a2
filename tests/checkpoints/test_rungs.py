"""How far a combo may go with a tool: the bottom unless the record says otherwise, and one step at a time."""

from typing import Any

import pytest

from canonical.redaction import ours
from checkpoints import rungs
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Combo, Route, RungStep, Successor
from checkpoints.registry import combo_of
from checkpoints.rungs import DRY_RUN, FAKE, READ, WRITE, Step
from tenants.models import AuditRow
from tests.checkpoints.combos import another
from tests.checkpoints.records import refused, run_sql
from tests.engine.turns import Bench
from tests.people import make_tenant

pytestmark = pytest.mark.django_db

TOOL = "fake.look_up"


def stands(engine: Bench, combo: Combo) -> str:
    return rungs.of(engine.tenant.pk, combo.pk, TOOL)


def routed(engine: Bench) -> Route:
    return Route.objects.create(tenant=engine.tenant, task_type="steps", stable=combo_of("steps"))


def up(engine: Bench, combo: Combo, to: str, evidence: bytes = b"{}") -> RungStep:
    wanted = Step(TOOL, to, ours("it is time"), evidence)
    return rungs.step(engine.tenant, combo, wanted, user=engine.starter)


def row(engine: Bench, combo: Combo, **fields: Any) -> RungStep:
    values: dict[str, Any] = {
        "tenant": engine.tenant,
        "combo": combo,
        "tool": TOOL,
        "number": 1,
        "before": FAKE,
        "after": READ,
        "why": "so",
        "evidence": b"{}",
        "digest": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        "made_by": engine.starter,
    }
    return RungStep(**(values | fields))


def test_where_nothing_was_released_everything_may_write(engine: Bench) -> None:
    assert stands(engine, another("steps", "other")) == WRITE


def test_with_a_route_what_is_not_stable_stands_at_the_bottom(engine: Bench) -> None:
    routed(engine)
    assert stands(engine, another("steps", "other")) == FAKE
    assert stands(engine, combo_of("steps")) == WRITE
    elsewhere = make_tenant("elsewhere")
    assert rungs.of(elsewhere.pk, another("steps", "third").pk, TOOL) == WRITE


def test_up_one_rung_at_a_time_with_evidence(engine: Bench) -> None:
    routed(engine)
    combo = another("steps", "other")
    with pytest.raises(IllegalMoveError, match="one rung at a time"):
        up(engine, combo, DRY_RUN)
    with pytest.raises(IllegalMoveError, match="needs evidence"):
        up(engine, combo, READ, b"")
    for to in (READ, DRY_RUN, WRITE):
        assert up(engine, combo, to).after == stands(engine, combo) == to
    told = AuditRow.objects.filter(verb="stepped on ladder").order_by("audit_id")
    assert [each.detail["after"] for each in told] == [READ, DRY_RUN, WRITE]
    assert rungs.all_of(engine.tenant.pk, combo.pk, ["other", TOOL]) == {"other": FAKE, TOOL: WRITE}


def test_down_as_far_as_one_likes_and_without_evidence(engine: Bench) -> None:
    combo = combo_of("steps")
    assert up(engine, combo, FAKE, b"").before == WRITE
    assert stands(engine, combo) == FAKE
    with pytest.raises(IllegalMoveError, match="no step from there"):
        up(engine, combo, FAKE)


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"number": 2}, "steps_of_a_ladder_follow_each_other"),
        ({"before": READ, "after": DRY_RUN}, "a_step_begins_where_it_stood"),
        ({"after": DRY_RUN}, "one_rung_at_a_time_with_its_evidence"),
        ({"evidence": b""}, "one_rung_at_a_time_with_its_evidence"),
        ({"digest": "0" * 64}, "one_rung_at_a_time_with_its_evidence"),
        ({"before": "", "after": WRITE}, "only_what_ran_before_begins_at_the_top"),
        ({"after": "top"}, "a_ladder_has_four_rungs"),
    ],
)
def test_the_database_lets_nobody_jump(engine: Bench, fields: Any, broken: str) -> None:
    routed(engine)
    combo = another("steps", "other")
    with refused(broken):
        row(engine, combo, **fields).save(force_insert=True)
    row(engine, combo).save(force_insert=True)
    assert stands(engine, combo) == READ


def test_a_step_stays_on_record(engine: Bench) -> None:
    routed(engine)
    up(engine, another("steps", "other"), READ)
    with refused("only ever added"):
        run_sql("UPDATE checkpoints_rungstep SET after = 'write'")
    with refused("only ever added"):
        run_sql("DELETE FROM checkpoints_rungstep")


def test_what_ran_before_the_first_release_stays_at_the_top(engine: Bench) -> None:
    run = engine.start(steps=1)
    other = another("steps", "other", TOOL)
    routed(engine)
    assert rungs.unfinished(engine.tenant, "steps") == [run.combo]
    with refused("only_what_ran_before_begins_at_the_top"):
        rungs.ran_before(engine.tenant, [other], user=engine.starter)


def test_a_declared_successor_stands_where_the_combo_before_it_stands(engine: Bench) -> None:
    routed(engine)
    heir = another("steps", "heir", TOOL)
    assert stands(engine, heir) == FAKE
    Successor.objects.create(combo=heir, of=combo_of("steps"), declared_by="deployer")
    assert stands(engine, heir) == WRITE
    up(engine, combo_of("steps"), READ, b"")
    assert stands(engine, heir) == READ
    assert rungs.begins(engine.tenant, heir, user=engine.starter) == 1
    assert stands(engine, heir) == FAKE
    assert rungs.begins(engine.tenant, heir, user=engine.starter) == 0
