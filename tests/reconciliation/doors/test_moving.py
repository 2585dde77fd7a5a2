"""Doors that people close and open; doors that open because the tool answers."""

from collections.abc import Callable

import pytest

from checkpoints.errors import IllegalMoveError
from reconciliation.doors import moving, reading
from reconciliation.doors.models import Door
from tenants import access
from tenants.errors import Denied
from tenants.models import AuditRow, User
from tests.checkpoints.records import refused
from tests.engine.turns import Bench
from tests.people import eve
from tests.reconciliation.doors.silence import door, shut, silent

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(engine: Bench) -> User:
    access.grant(engine.tenant, engine.starter, "operate_runs")
    return engine.starter


def test_a_person_closes_a_door_with_a_reason_and_only_a_person_opens_it(
    engine: Bench, operator: User
) -> None:
    closed = moving.close_by_hand(engine.tenant, "fake.void", why="they migrate", user=operator)
    assert (closed.by_hand, closed.why, closed.next_probe_at) == (True, "they migrate", None)
    assert f"{operator} closed it (they migrate)" in reading.sentence(closed)
    assert not moving.open_answered(closed, because="x")
    moving.open_by_hand(engine.tenant, "fake.void", why="done", user=operator)
    assert not door(engine).is_closed
    verbs = AuditRow.objects.filter(verb__endswith="_door").order_by("audit_id")
    assert [(row.verb, row.detail["why"]) for row in verbs] == [
        ("close_door", "they migrate"),
        ("open_door", "done"),
    ]


def test_closing_twice_is_one_door_and_one_row_of_the_audit(engine: Bench, operator: User) -> None:
    for _ in range(2):
        moving.close_by_hand(engine.tenant, "fake.void", why="x", user=operator)
    assert Door.objects.count() == 1
    assert AuditRow.objects.filter(verb="close_door").count() == 1


def test_a_door_that_closed_by_itself_may_be_kept_closed_by_a_person(
    engine: Bench, operator: User
) -> None:
    since = shut(engine).closed_at
    moving.close_by_hand(engine.tenant, "fake.void", why="until they call", user=operator)
    kept = door(engine)
    assert (kept.by_hand, kept.closed_at, kept.next_probe_at) == (True, since, None)


def test_whoever_opens_it_vouches_for_a_whole_new_row(engine: Bench, operator: User) -> None:
    silent(engine, 5)
    moving.open_by_hand(engine.tenant, "fake.void", why="they called", user=operator)
    assert door(engine).silent == []
    silent(engine, 4)
    assert not door(engine).is_closed


def test_after_a_probe_the_next_unknown_closes_it_again(engine: Bench) -> None:
    silent(engine, 5)
    assert moving.open_answered(door(engine), because="The tool answered a probe.")
    assert not door(engine).is_closed
    silent(engine, 1)
    assert door(engine).why == "six unknown in a row"


def test_opening_what_is_open_is_refused_and_by_itself_no_news(
    engine: Bench, operator: User
) -> None:
    opened = shut(engine)
    assert moving.open_answered(opened, because="x")
    assert not moving.open_answered(opened, because="x")
    with pytest.raises(IllegalMoveError):
        moving.open_by_hand(engine.tenant, "fake.void", why="x", user=operator)


@pytest.mark.parametrize("verb", [moving.close_by_hand, moving.open_by_hand])
def test_nobody_moves_a_door_without_the_right_or_a_reason(
    engine: Bench, operator: User, verb: Callable[..., Door]
) -> None:
    shut(engine)
    with pytest.raises(Denied):
        verb(engine.tenant, "fake.void", why="x", user=eve())
    with pytest.raises(IllegalMoveError):
        verb(engine.tenant, "fake.void", why="  ", user=operator)


def test_a_tool_that_nobody_knows_has_no_door(engine: Bench, operator: User) -> None:
    with pytest.raises(IllegalMoveError):
        moving.close_by_hand(engine.tenant, "fake.unheard", why="x", user=operator)


def test_the_database_refuses_doors_that_say_nothing(engine: Bench) -> None:
    shut(engine)
    with refused("a_closed_door_says_who_and_why"):
        Door.objects.update(why="")
    with refused("a_door_that_closed_by_itself_is_probed"):
        Door.objects.update(next_probe_at=None)
    with refused("only_a_door_that_closed_by_itself_is_probed"):
        Door.objects.update(closed_at=None, closed_by="", why="")
