"""Nodes that run ahead: what they compute while PostgreSQL commits what they start from."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection

from checkpoints import boundaries, runs
from checkpoints.boundaries import boundary
from checkpoints.errors import LeaseLostError
from checkpoints.graph import COMPUTE, END, MODEL, READ, Context, State, To
from checkpoints.models import Case, Checkpoint, Run
from checkpoints.timers import SelfStop
from execution import executor, nodes, work
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.execution.graphs import single
from tests.execution.runs import head
from tests.ground import wait_for

# A commit is awaited at once inside a transaction, so these tests must not stand in one.
pytestmark = pytest.mark.django_db(transaction=True)

SOMEBODY = Actor.machine("test")
STEPS = 3
IN_TURN = ["node", "commit:before", "commit:after"] * STEPS
ONE_BEHIND = ["node", "commit:before", "commit:after"]
AHEAD = [*IN_TURN[:2], *ONE_BEHIND * (STEPS - 1), "commit:after"]

Happens = Callable[[Context], None]


@pytest.fixture
def reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The boundaries of commits and nodes so far, in their order."""
    log = tmp_path / "boundaries"
    monkeypatch.setattr(nodes, "QUICK_SECONDS", 60.0)  # however slow this machine is just now
    monkeypatch.setenv("KEDGE_BOUNDARY_LOG", str(log))
    monkeypatch.setattr(boundaries, "_reached", Counter())

    def names() -> list[str]:
        found = [line.split("@")[0] for line in log.read_text().splitlines()]
        return [name for name in found if name.startswith(("commit:", "node"))]

    return names


def steps(
    patch: pytest.MonkeyPatch, happens: Happens = lambda _: None, kind: str = COMPUTE
) -> None:
    """A graph that counts to `STEPS`; `happens` is called in each of its nodes."""

    def count(state: State, context: Context) -> To:
        boundary("node")
        happens(context)
        at = int(state.get("at", 0)) + 1
        return To(END if at == STEPS else "first", {"at": at})

    single(patch, count, to=("first", END), kind=kind)


def once(what: Callable[[Context], object]) -> Happens:
    """Something that happens in the first node that runs."""
    left = [what]

    def happens(context: Context) -> None:
        if left:
            left.pop()(context)

    return happens


@pytest.mark.parametrize(("kind", "order"), [(COMPUTE, AHEAD), (READ, IN_TURN), (MODEL, IN_TURN)])
def test_only_compute_nodes_run_ahead(
    engine: Bench,
    monkeypatch: pytest.MonkeyPatch,
    reached: Callable[[], list[str]],
    kind: str,
    order: list[str],
) -> None:
    steps(monkeypatch, kind=kind)
    run = engine.start("odd")
    engine.turn()
    assert reached() == order
    assert head(run) == {"at": STEPS}
    assert Run.objects.get().status == "succeeded"


def test_a_node_that_takes_long_does_not_run_ahead(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(nodes, "QUICK_SECONDS", 0.0)
    steps(monkeypatch)
    engine.start("odd")
    engine.turn()
    assert reached() == IN_TURN


def test_a_node_run_ahead_is_thrown_away_when_its_parent_is_refused(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]]
) -> None:
    def lose(context: Context) -> None:
        runs.lapse(UUID(context.run_id), fence=1, why="silent", actor=SOMEBODY)

    steps(monkeypatch, once(lose))
    run = engine.start("odd")
    with pytest.raises(LeaseLostError):
        engine.turn()
    assert reached() == ["node", "commit:before", "node", "commit:before"]
    run.refresh_from_db()
    assert (run.head, run.status, Checkpoint.objects.count()) == (0, "queued", 0)
    engine.turn()
    assert (head(run), Checkpoint.objects.count()) == ({"at": STEPS}, STEPS)


def test_a_lease_lost_behind_a_commit_refuses_the_next_alone(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]]
) -> None:
    def lose(context: Context) -> None:
        if context.seq == 2:
            with ThreadPoolExecutor(1) as others:  # on a connection of its own: this one is busy
                others.submit(lapse_after_first_commit, UUID(context.run_id)).result()

    steps(monkeypatch, lose)
    run = engine.start("odd")
    with pytest.raises(LeaseLostError):
        engine.turn()
    run.refresh_from_db()
    assert (run.head, run.status, Checkpoint.objects.count()) == (1, "queued", 1)
    steps(monkeypatch)
    engine.turn()
    assert (head(run), Checkpoint.objects.count()) == ({"at": STEPS}, STEPS)


def lapse_after_first_commit(run_id: UUID) -> None:
    wait_for(lambda: Run.objects.filter(pk=run_id, head=1).exists(), "the first commit")
    assert runs.lapse(run_id, fence=1, why="silent", actor=SOMEBODY)
    connection.close()


def test_in_a_long_stretch_it_is_asked_again_whether_the_turn_should_end(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]]
) -> None:
    steps(monkeypatch)
    monkeypatch.setattr(work, "LONGEST_STRETCH", 2)
    engine.start("odd")
    asked_at: list[int] = []

    def ends() -> bool:
        asked_at.append(Checkpoint.objects.count())
        return False

    with SelfStop() as self_stop:
        executor.advance(engine.acquire(), self_stop, ends)
    assert asked_at == [0, 2]
    assert Checkpoint.objects.count() == STEPS


def test_what_a_node_run_ahead_raises_counts_once_its_parent_stands(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]]
) -> None:
    def fail(context: Context) -> None:
        if context.seq == 2:
            raise ValueError("no")

    steps(monkeypatch, fail)
    engine.start("odd")
    engine.turn()
    assert reached() == ["node", "commit:before", "node", "commit:after"]
    assert (Checkpoint.objects.count(), Run.objects.get().head) == (1, 1)
    assert Case.objects.get().sentence == "The node first failed: ValueError: no"


def test_a_run_cancelled_meanwhile_ends_with_what_is_under_way(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]]
) -> None:
    def cancel(context: Context) -> None:
        runs.request_cancel(UUID(context.run_id), why="wrong", actor=SOMEBODY)

    steps(monkeypatch, once(cancel))
    run = engine.start("odd")
    engine.turn()
    run.refresh_from_db()
    assert reached() == [*IN_TURN[:2], "node", "commit:before", "commit:after", "commit:after"]
    assert (run.status, run.head, Checkpoint.objects.count()) == ("cancelled", 2, 2)


@pytest.mark.parametrize("what", ["items", "put", "get"])
def test_a_node_that_asks_the_database_waits_for_its_parent(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, reached: Callable[[], list[str]], what: str
) -> None:
    kept: list[dict[str, object]] = []

    def ask(context: Context) -> None:
        if what == "items":
            context.append("log", context.seq)
            assert context.items("log") == list(range(1, context.seq + 1))
        elif what == "put" or not kept:
            kept.append(context.put(f"large {context.seq}".encode()))
        else:
            assert context.get(kept[0]) == b"large 1"
        boundary("node asked")

    steps(monkeypatch, ask)
    engine.start("odd")
    engine.turn()
    assert Checkpoint.objects.count() == STEPS
    assert reached()[:6] == {
        # It is stored when the node is over.
        "put": ["node", "node asked", "commit:before", "node", "node asked", "commit:after"]
    }.get(what, ["node", "node asked", "commit:before", "node", "commit:after", "node asked"])
