"""Shares over time are steps; a machine's stop and each look are shapes of their own."""

from datetime import UTC, datetime, timedelta

from releases.charts import shares
from releases.charts.shares import BOTTOM, TOP, WIDTH, Seen, Step

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def later(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def test_a_share_goes_in_steps_from_the_first_move_to_the_end() -> None:
    steps = [Step(NOON, 0, 0), Step(later(30), 5_000, 2_500)]
    it = shares.drawn(steps, [], until=later(60))
    assert it is not None
    middle = (BOTTOM + TOP) / 2
    assert it.share == f"M4 {BOTTOM}H360V{middle:g}H{WIDTH - 4}"
    assert it.critical.endswith(f"V{BOTTOM - (BOTTOM - TOP) / 4:g}H{WIDTH - 4}")
    assert it.area == f"{it.share}V{BOTTOM}H4Z"
    assert it.marks == ()


def test_each_look_and_a_machines_stop_have_a_shape_of_their_own() -> None:
    steps = [Step(NOON, 0, 0), Step(later(50), 0, 0, by_machine=True, says="was stopped")]
    looks = [Seen(later(each), said, said) for each, said in ((10, "allows"), (20, "holds"))]
    it = shares.drawn(steps, [*looks, Seen(later(30), "stops", "stop")], until=later(60))
    assert it is not None
    assert [mark.kind for mark in it.marks] == ["machine", "allows", "holds", "stops"]
    assert len({mark.shape for mark in it.marks}) == 4
    assert it.marks[0].says == "was stopped"


def test_without_a_step_there_is_nothing_to_draw() -> None:
    assert shares.drawn([], [], until=NOON) is None


def test_all_at_one_moment_is_drawn_all_the_same() -> None:
    assert shares.drawn([Step(NOON, 0, 0), Step(NOON, 100, 0)], [], until=NOON) is not None
