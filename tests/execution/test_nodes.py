"""Compute, model and read nodes: what an author's function may do, and what it may leave behind."""

import signal
from typing import Any

import pytest
from django.db import OperationalError

from approvals import clock
from checkpoints import reading, runs
from checkpoints.errors import DamagedRecordError
from checkpoints.graph import MODEL, READ, Context, Retry, State, To
from checkpoints.models import Case, Checkpoint, Run
from execution.work import STATE_LIMIT_BYTES
from tenants.actors import Actor
from tests.checkpoints import tampering
from tests.checkpoints.records import by_force, judge_now
from tests.engine.turns import Bench
from tests.execution.graphs import appends, graph, install, raises, returns, single
from tests.execution.runs import bounded_turn, full
from tests.forks import fork


def held(engine: Bench, **content: Any) -> Case:
    """Start the odd graph, take a turn; it must be held, with nothing committed by the node."""
    run = engine.start("odd", **content)
    engine.turn()
    judge_now()
    run.refresh_from_db()
    assert run.status == "held"
    return Case.objects.get(run=run)


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"a": {"b": float("nan")}}, "at /a/b: is NaN"),
        ({"a": [1, float("inf")]}, "at /a/1: is NaN or infinite"),
        ({"a": 2**53}, "at /a: is an integer outside"),
        ({"a": 2**70}, "at /a: is an integer outside"),
        ({"a": "\ud800"}, "at /a: "),
        ({"a": ["x\0y"]}, "at /a/0: "),
        ({"a": {"\0": 1}}, "at /a"),
        ({"a": (1, 2)}, "at /a: "),
        ({"a": {1, 2}}, "at /a: "),
        ({"a": object()}, "at /a: "),
        ({"a": b"bytes"}, "at /a: "),
        ({"a": 1 + 2j}, "at /a: "),
        ({1: "x"}, "at "),
        ({"a": "x" * STATE_LIMIT_BYTES}, f"over the limit of {STATE_LIMIT_BYTES:,}"),
        ({"$chains": {}}, "names with $ belong to the engine"),
        ([1], "the state is a list, not an object"),
        (None, "the state is a NoneType, not an object"),
    ],
)
def test_state_that_cannot_be_kept_holds_the_run_and_names_the_path(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, state: Any, says: str
) -> None:
    single(monkeypatch, returns(state))
    case = held(engine)
    assert case.kind == "invalid_output"
    assert says in case.sentence
    assert not Checkpoint.objects.exists()
    assert Run.objects.get().attempts == 0


@pytest.mark.parametrize("item", [float("nan"), 2**53, "\ud800", "\0", (1,), object()])
def test_an_item_that_cannot_be_kept_holds_the_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, item: Any
) -> None:
    single(monkeypatch, appends("fine", {"deep": item}))
    case = held(engine)
    assert "/deep" in case.sentence
    assert not Checkpoint.objects.exists()


def test_a_state_of_exactly_the_limit_is_kept(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, returns({"a": "x" * (STATE_LIMIT_BYTES - len('{"a":""}'))}))
    run = engine.start("odd")
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert len(bytes(Checkpoint.objects.get().state)) == STATE_LIMIT_BYTES


@pytest.mark.parametrize("returned", [None, {"a": 1}, ("end", {}), "end"])
def test_a_node_that_returns_anything_but_a_to_is_held(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, returned: Any
) -> None:
    single(monkeypatch, lambda *_: returned)
    assert f"it returned a {type(returned).__name__}, not a To" in held(engine).sentence


def test_a_node_that_goes_where_it_may_not_is_held(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, returns({}, node="elsewhere"))
    assert "it goes to 'elsewhere'; declared are end" in held(engine).sentence


@pytest.mark.parametrize("by", ["state schema", "output"])
def test_a_state_that_does_not_fit_a_schema_is_held_and_says_where(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    output = schema if by == "output" else None
    made = single(monkeypatch, returns({"n": "three"}), output=output)
    if by == "state schema":
        made.state_schemas[1] = schema
    assert "the state does not fit at /n" in held(engine).sentence


def test_a_node_that_raises_is_held_with_what_it_said_and_where(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, raises(KeyError("total")))
    case = held(engine)
    assert (case.kind, case.sentence) == ("crash_loop", "The node first failed: KeyError: 'total'")
    assert case.facts["node"] == "first"
    assert "graphs.py" in case.facts["trace"]


def test_a_declared_transient_error_is_tried_again_a_limited_number_of_times(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    retry = Retry(times=2, transient=(TimeoutError,), first_wait_seconds=8, longest_wait_seconds=10)
    single(monkeypatch, raises(TimeoutError("busy")), retry=retry)
    run = engine.start("odd")
    waits = []
    for failures in (1, 2):
        engine.turn()
        run.refresh_from_db()
        assert (run.status, run.reason, run.node_failures) == ("waiting", "for_retry", failures)
        waits.append(_seconds_left(run))
        Run.objects.update(due_at="2020-01-01T00Z")
    assert 3 <= waits[0] <= 8
    assert 4 <= waits[1] <= 10
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "crash_loop")
    assert "failed 3 times: TimeoutError: busy" in Case.objects.get().sentence


def test_an_error_that_is_not_declared_is_not_tried_again(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    retry = Retry(times=5, transient=(TimeoutError,))
    single(monkeypatch, raises(ValueError("wrong")), retry=retry)
    assert held(engine).kind == "crash_loop"


def test_s126_a_database_that_is_gone_is_not_the_nodes_fault(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes the run over goes on; nobody is called for it."""
    single(monkeypatch, raises(OperationalError("terminating connection")))
    engine.start("odd")
    with pytest.raises(OperationalError):
        engine.turn()
    assert not Case.objects.exists()


def test_a_value_too_large_to_store_holds_the_run_at_once(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def large(state: State, context: Context) -> To:
        return To("end", {"large": context.put(bytes(16 * 1024 * 1024 + 1))})

    single(monkeypatch, large)
    case = held(engine)
    assert case.kind == "invalid_output"
    assert "16777217 bytes" in case.sentence


def test_a_damaged_list_is_damage_and_not_the_nodes_fault(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graph()
    made.node("first", READ, to=["second"])(appends("fact", to="second"))
    made.node("second", MODEL, to=["end"])(
        lambda state, context: To("end", {**state, "all": context.items("log")})
    )
    install(monkeypatch, made)
    run = engine.start("odd")
    engine.turn()
    assert reading.load_head(full(run)).state["all"] == ["fact"]
    other = engine.start("odd")
    bounded_turn(engine, 1)
    with_other_items(other)
    engine.turn()
    assert Case.objects.get(run=other).kind == "damaged_checkpoint"


def test_rule_18_every_node_gets_the_state_parsed_from_the_committed_bytes(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory has 1.0 where the record has 1: both ways of going on must compute the same."""
    made = graph()
    made.node("first", READ, to=["second"])(returns({"n": 1.0, "z": -0.0, "f": 0.5}, "second"))
    made.node("second", MODEL, to=["end"])(
        lambda state, _: To("end", {name: repr(value) for name, value in state.items()})
    )
    install(monkeypatch, made)
    straight, interrupted = engine.start("odd"), engine.start("odd")
    engine.turn()
    bounded_turn(engine, 1)
    engine.turn()
    ends = [reading.load_head(full(run)).state for run in (straight, interrupted)]
    assert ends[0] == ends[1] == {"n": "1", "z": "0", "f": "0.5"}


@pytest.mark.parametrize("number", [1e16, 1e20, float(2**53)])
def test_rule_18_a_number_the_strict_reader_would_refuse_is_refused_before_the_commit(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, number: float
) -> None:
    single(monkeypatch, returns({"n": number}))
    assert "at /n: is an integer outside" in held(engine).sentence
    assert not Checkpoint.objects.exists()


def test_a_node_cannot_change_the_committed_state_in_memory(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def spoil(state: State, context: Context) -> To:
        seen.append(dict(state))
        state["spoilt"] = True
        raise TimeoutError

    single(monkeypatch, spoil, retry=Retry(times=5, transient=(TimeoutError,)))
    engine.start("odd")
    for _ in range(2):
        engine.turn()
        Run.objects.update(due_at="2020-01-01T00Z")
    assert seen == [{}, {}]


@pytest.mark.django_db(transaction=True)
def test_s24_a_node_that_never_returns_is_killed_and_counted(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, _for_ever, deadline_seconds=1)
    run, other = engine.start("odd"), engine.start(steps=2)
    Run.objects.filter(pk=run.pk).update(due_at="2020-01-01T00Z")
    assert fork(engine.turn).wait() == -signal.SIGKILL
    run.refresh_from_db()
    assert (run.status, run.attempts, run.head) == ("running", 1, 0)
    engine.turn()
    other.refresh_from_db()
    assert other.status == "succeeded"
    assert runs.lapse(run.id, fence=1, why="killed", actor=Actor.machine("sweeper"))


def _for_ever(state: State, context: Context) -> To:
    while True:
        signal.pause()


def with_other_items(run: Run) -> None:
    with by_force(*tampering.RULES):
        Checkpoint.objects.filter(run_id=run.id, seq=1).update(appended=b'{"log":["lie"]}')
    with pytest.raises(DamagedRecordError):
        reading.chain_items(full(run), reading.load(full(run), 1), "log")


def _seconds_left(run: Run) -> float:
    assert run.due_at is not None
    return (run.due_at - clock.now()).total_seconds()
