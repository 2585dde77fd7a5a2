"""Looking again beside the sweeper: a tool that hangs holds neither the sweeper nor another tool."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from django.db import connection

from approvals.models.freshness import Freshness
from execution import lookers, sweeper
from reconciliation.tools import DryRun
from tests.approvals.racing import until
from tests.engine.turns import Bench
from tests.execution.runs import waiting
from tests.reconciliation.oddtools import Odd, put

pytestmark = pytest.mark.django_db(transaction=True)


def all_due() -> None:
    Freshness.objects.filter(due_at__isnull=False).update(due_at="2020-01-01T00Z")


class Hanging:
    """A dry run that stands still until the test lets it go."""

    def __init__(self, tool: Odd) -> None:
        self.begun, self.go, self.plain = list[Any](), Event(), tool.dry_run

    def __call__(self, call: Any) -> DryRun:
        self.begun.append(call)
        assert self.go.wait(30)
        return self.plain(call)


@pytest.fixture
def hanging(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """Three requests wait for a tool that hangs from now on."""
    for _ in range(3):
        waiting(engine)
    tool = put(monkeypatch, "fake.void")
    hangs = Hanging(tool)
    monkeypatch.setattr(tool, "dry_run", hangs)
    yield hangs
    hangs.go.set()
    assert lookers.wait(10)


def test_a_round_starts_what_is_due_and_its_findings_are_kept(engine: Bench) -> None:
    waiting(engine)
    (engine.world / "version").write_text("2")
    assert sweeper.sweep()["look again"] == 0
    all_due()
    assert sweeper.sweep()["look again"] == 1
    assert lookers.wait(10)
    assert Freshness.objects.get().verdict == "moved"


def test_a_tool_that_hangs_holds_neither_the_sweeper_nor_another_tool(
    engine: Bench, hanging: Hanging
) -> None:
    waiting(engine, "fake.look_up")
    all_due()
    done = sweeper.sweep()
    assert done["look again"] == 3  # two of the hanging tool, one of the other
    assert "seal audit" in done
    until(lambda: Freshness.objects.filter(due_at__gt="2021-01-01T00Z").count() == 1)
    assert Freshness.objects.get(due_at__gt="2021-01-01T00Z").tool == "fake.look_up"
    until(lambda: len(hanging.begun) == 2)
    assert sweeper.sweep()["look again"] == 0


def test_threads_that_hang_are_never_more_than_the_tool_allows(
    engine: Bench, hanging: Hanging
) -> None:
    """Also when their claims have run out: who hangs for ever costs two threads, not one a round."""
    all_due()
    assert sweeper.sweep()["look again"] == 2
    until(lambda: len(hanging.begun) == 2)
    Freshness.objects.filter(claim__isnull=False).update(claimed_until="2020-01-01T00Z")
    assert sweeper.sweep()["look again"] == 0
    assert len(hanging.begun) == 2


def test_a_person_can_decide_while_a_look_hangs(engine: Bench, hanging: Hanging) -> None:
    """Nothing is locked while the tool is asked; what the look finds afterwards is not kept."""
    all_due()
    sweeper.sweep()
    until(lambda: len(hanging.begun) == 2)
    (engine.world / "version").write_text("2")
    looked_at = Freshness.objects.filter(claim__isnull=False)
    request = looked_at.select_related("request__run")[0].request
    engine.decide(request.run)
    hanging.go.set()
    assert lookers.wait(10)
    row = Freshness.objects.get(pk=request.pk)
    assert (row.verdict, row.due_at) == ("equal", None)


def test_no_thread_leaves_a_session_behind(engine: Bench) -> None:
    waiting(engine)
    all_due()
    before = sessions()
    sweeper.sweep()
    assert lookers.wait(10)
    until(lambda: sessions() == before)


def sessions() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])
