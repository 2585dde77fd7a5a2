"""A run whose worker was killed is one trace: every lease a span, nothing sensitive in its bytes."""

import os
import signal
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from checkpoints import runs, traces
from checkpoints.asked import Request
from checkpoints.graph import COMPUTE, END, MODEL, Context, NodeFunction, State, To
from checkpoints.models import Run
from config.traces import choosing
from config.traces.otel.listening import Tracing
from execution import worker
from reconciliation.models import Action, Attempt
from tenants.actors import Actor
from tests.config.traces.collector import Collector, Received, collector
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, returns
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "Mrs-Miller-of-Elm-Street"
KILLED_AT = "effect:after@1"


def traced_burst() -> None:
    assert choosing.begin(os.environ)
    worker.work("test", burst=True)


def start(engine: Bench) -> Run:
    request = Request(
        "steps",
        f"{SECRET}-{uuid4().hex}",
        {"steps": 3, "tool": "fake.void", "what": SECRET, "why": SECRET},
        channel="test",
    )
    return runs.start(engine.tenant, request, actor=Actor.person(engine.starter))[0]


def killed_once(engine: Bench, received: Collector) -> Run:
    """A run that waits, is approved, whose worker dies as the effect was sent, and that recovers."""
    begin = partial(fork, traced_burst, OTEL_EXPORTER_OTLP_ENDPOINT=received.url)
    run = start(engine)
    assert begin().wait() == 0
    engine.decide(run, reason=SECRET)
    assert begin(KEDGE_KILL_AT=KILLED_AT).wait() == 0
    run.refresh_from_db()
    assert (run.status, run.fence) == ("succeeded", 3)
    return run


def turns_of(received: Collector) -> dict[object, Received]:
    return {span.attributes["kedge.fence"]: span for span in received.named("turn ")}


def test_a_run_with_a_killed_worker_is_one_trace(engine: Bench) -> None:
    with collector() as received:
        run = killed_once(engine, received)
    every_lease_is_a_span_of_one_trace(run, received)
    spans_say_which_run_node_and_action(run, received)
    nothing_that_came_from_people_tools_or_states_left(received, run.business_key)


def every_lease_is_a_span_of_one_trace(run: Run, received: Collector) -> None:
    assert {span.trace for span in received.spans} == {run.id.hex}
    assert (received.paths, received.services) == ({"/v1/traces"}, {"kedge"})
    (whole,) = received.named("run ")
    turns = turns_of(received)
    assert len(received.named("turn ")) == len(turns) == 3
    assert whole.parent == ""
    assert {turn.parent for turn in turns.values()} == {whole.id}
    ended = {fence: turn.attributes["kedge.ended"] for fence, turn in turns.items()}
    assert ended == {1: "waits: for_approval", 2: "interrupted", 3: "succeeded: done"}
    # Who took it over leads to who died.
    assert turns[3].links == (turns[2].id,)
    assert (turns[2].failed, turns[2].attributes["error.type"]) == (True, "interrupted")
    assert [span.failed for span in (turns[1], turns[3], whole)] == [False] * 3
    assert whole.seconds >= max(turn.seconds for turn in turns.values()) > 0
    # No span hangs on nothing.
    ids = {span.id for span in received.spans}
    assert {span.parent for span in received.spans} - {""} <= ids


def spans_say_which_run_node_and_action(run: Run, received: Collector) -> None:
    turns = turns_of(received)
    for turn in [*turns.values(), *received.named("run ")]:
        assert turn.attributes["kedge.run.id"] == str(run.id)
        assert turn.attributes["kedge.tenant"] == run.tenant.slug
        assert turn.attributes["kedge.combo"] == bytes(run.combo.digest).hex()[:12]
    nodes = {span.name for span in received.named("node ")}
    assert nodes == {"node look", "node count", "node think", "node act"}
    assert {span.name for span in received.named("code ")} == {"code act"}
    # The killed worker's own call never came to its end; who took over found out about it.
    (found,) = received.named("find out ")
    assert found.attributes["kedge.action.id"] == str(Action.objects.get().id)
    assert found.attributes["kedge.finding"] == "known"
    assert (found.parent, Attempt.objects.get().fence) == (turns[3].id, 2)


def nothing_that_came_from_people_tools_or_states_left(received: Collector, key: str) -> None:
    sent = b"".join(received.bodies)
    assert sent
    for known in (SECRET, key, "@example.org"):
        assert known.encode() not in sent
    assert {key for span in received.spans for key in span.attributes} == {
        "error.type",
        "gen_ai.tool.name",
        "kedge.action.id",
        "kedge.attempts",
        "kedge.combo",
        "kedge.ended",
        "kedge.fence",
        "kedge.finding",
        "kedge.kind",
        "kedge.mode",
        "kedge.node",
        "kedge.run.id",
        "kedge.task_type",
        "kedge.tenant",
    }


def sends_and_dies_once(notes: Path) -> NodeFunction:
    """A node that is killed the first time, when all before it has been sent."""

    def second(state: State, context: Context) -> To:
        if not (notes / "died").exists():
            (notes / "died").touch()
            port = traces.port
            assert isinstance(port, Tracing)
            port._own().provider.force_flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return To(END, state)

    return second


def test_what_a_killed_worker_had_sent_hangs_on_its_lease(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = graph()
    made.node("first", COMPUTE, to=["second"])(returns({}, "second"))
    # A model node never runs ahead, so the first is committed and told by then.
    made.node("second", MODEL, to=[END])(sends_and_dies_once(tmp_path))
    install(monkeypatch, made)
    engine.start("odd")
    with collector() as received:
        assert fork(traced_burst, OTEL_EXPORTER_OTLP_ENDPOINT=received.url).wait() == 0
    turns = turns_of(received)
    parents = {span.name: span.parent for span in received.named("node ")}
    assert parents == {"node first": turns[1].id, "node second": turns[2].id}
    # From its first commit on, as far as the record knows.
    assert turns[1].attributes["kedge.ended"] == "interrupted"
    assert turns[1].seconds > 0


def test_an_effect_that_is_sent_is_a_call_of_a_tool(engine: Bench) -> None:
    with collector() as received:
        begin = partial(fork, traced_burst, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=received.url)
        run = start(engine)
        assert begin().wait() == 0
        engine.decide(run)
        assert begin().wait() == 0
    (call,) = received.named("execute_tool ")
    assert call.name == "execute_tool fake.void"
    action = str(Action.objects.get().id)
    assert call.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "fake.void",
        "gen_ai.tool.call.id": action,
        "kedge.action.id": action,
        "kedge.attempt": 1,
        "kedge.answer": "sent",
    }
    (node,) = [span for span in received.spans if span.id == call.parent]
    assert node.name == "node act"
