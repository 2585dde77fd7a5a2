"""What a turn says of nodes, models and troubles, by the conventions, and never in words."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from agents import model
from checkpoints import runs, traces
from checkpoints.graph import END, MODEL, Context, State, To
from checkpoints.models import Recovery, Run
from config.traces.otel.listening import Tracing
from tenants.actors import Actor
from tests.agents.chat_server import chat_server
from tests.config.traces.collector import Collector, collector
from tests.engine.turns import Bench
from tests.execution.graphs import raises, single
from tests.execution.runs import due

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION, ANSWER = "what-was-asked-of-it", "what-it-answered"
SCHEMA = {"type": "object", "properties": {"said": {"type": "string"}}}


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that this process tells of its turns; read it after `sent`."""
    with collector() as kept:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", kept.url)
        traces.use(Tracing())
        yield kept


def sent() -> None:
    traces.port.end()


def asks_a_model(state: State, context: Context) -> To:
    answer = model.ask(
        [{"role": "user", "content": QUESTION}],
        schema=SCHEMA,
        stand_in=lambda: {"said": ANSWER},
    )
    return To(END, {**state, "said": answer.value["said"]})


def test_a_question_to_a_model_follows_the_conventions_without_its_words(
    engine: Bench,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    tmp_path: Path,
    received: Collector,
) -> None:
    single(monkeypatch, asks_a_model, kind=MODEL)
    rules = [{"name": "good", "respond": {"content": json.dumps({"said": ANSWER})}}]
    with chat_server(tmp_path, rules) as url:
        settings.KEDGE_MODEL_URL, settings.KEDGE_MODEL = url, "small-1"
        settings.KEDGE_MODEL_KEY = "s3cret-key"
        engine.start("odd")
        engine.turn()
    sent()
    (call,) = received.named("chat ")
    (node,) = received.named("node ")
    assert (call.name, call.kind, call.parent) == ("chat small-1", 3, node.id)
    told = dict(call.attributes)
    assert told.pop("gen_ai.usage.input_tokens") > 0  # type: ignore[operator]
    assert told.pop("gen_ai.usage.output_tokens") > 0  # type: ignore[operator]
    assert told == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small-1",
        "gen_ai.output.type": "json",
        "server.address": "127.0.0.1",
        "server.port": int(url.split(":")[2].split("/")[0]),
    }
    for words in (QUESTION, ANSWER, "s3cret-key"):
        assert words.encode() not in b"".join(received.bodies)


def test_the_stand_in_is_named_and_is_nobody_elses(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, received: Collector
) -> None:
    single(monkeypatch, asks_a_model, kind=MODEL)
    engine.start("odd")
    engine.turn()
    sent()
    (call,) = received.named("chat ")
    assert (call.name, call.kind) == ("chat stand-in", 1)
    assert "server.address" not in call.attributes


def test_an_error_is_told_by_its_class(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, received: Collector
) -> None:
    single(monkeypatch, raises(KeyError("Mrs Miller of Elm Street")))
    engine.start("odd")
    engine.turn()
    sent()
    (node,), (turn,) = received.named("node "), received.named("turn ")
    assert (node.failed, node.attributes["error.type"]) == (True, "KeyError")
    assert (turn.failed, turn.attributes["kedge.ended"]) == (True, "held: crash_loop")
    assert b"Miller" not in b"".join(received.bodies)
    assert received.named("run ") == []


def test_a_recovery_that_takes_several_turns_tells_of_the_lost_lease_once(
    engine: Bench, received: Collector
) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    engine.fault("drop_answer")
    engine.fault("silent")
    engine.turn()  # nobody knows what became of it
    due(run)
    runs.lapse(run.id, fence=engine.acquire().fence, why="died", actor=Actor.machine("test"))
    for _ in range(2):
        due(run)
        engine.turn()  # nor does anybody now: no boundary, so the recovery goes on
    assert Recovery.objects.get().ended == ""
    sent()
    told = [span.attributes["kedge.fence"] for span in received.named("turn ")]
    assert sorted(told) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("sampler", "argument", "spans"),
    [("always_off", "", 0), ("parentbased_traceidratio", "0", 0), ("traceidratio", "1", 1)],
)
def test_a_run_is_sampled_whole_or_not_at_all(
    engine: Bench,
    monkeypatch: pytest.MonkeyPatch,
    received: Collector,
    sampler: str,
    argument: str,
    spans: int,
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", argument)
    engine.start(steps=2)
    engine.turn()
    sent()
    assert len(received.named("turn ")) == len(received.named("run ")) == spans
    assert Run.objects.get().status == "succeeded"


def test_a_model_that_is_asked_outside_of_a_turn_is_not_traced(received: Collector) -> None:
    model.ask([], schema=SCHEMA, stand_in=lambda: {"said": ANSWER})
    sent()
    assert received.spans == []


def test_what_goes_wrong_with_tracing_is_no_trouble_of_the_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, received: Collector
) -> None:
    monkeypatch.setattr("config.traces.otel.listening.about", raises(ZeroDivisionError()))
    engine.start(steps=2)
    engine.turn()
    assert Run.objects.get().status == "succeeded"
