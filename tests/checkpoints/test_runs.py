"""Starting runs: what is taken, what is refused, and what one business key means."""

from typing import Any

import pytest
from django.db import connection

from checkpoints import asked, runs, stops
from checkpoints.asked import Request
from checkpoints.errors import (
    InputRefusedError,
    KeyReusedError,
    StoppedError,
    UnknownTaskTypeError,
)
from checkpoints.ids import uuid7
from checkpoints.models import Event, Run
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.checkpoints.combos import another
from tests.engine import registry
from tests.engine.turns import Bench
from tests.people import make_tenant

CALLER = Actor.machine("test")


def start(engine: Bench, content: Any = None, key: str = "k", **fields: Any) -> tuple[Run, bool]:
    request = Request(
        **{"task_type": "steps", "business_key": key, "input": {}, "channel": "test", **fields}
    )
    if content is not None:
        request = Request("steps", key, content, channel="test")
    return runs.start(engine.tenant, request, actor=CALLER)


def test_a_new_run_is_queued_due_and_says_who_asked(engine: Bench) -> None:
    request = Request("steps", "k", {"steps": 3}, channel="api", on_behalf_of="a customer")
    run, created = runs.start(engine.tenant, request, actor=Actor.person(engine.starter))
    run = Run.objects.get(pk=run.pk)
    assert created
    assert (run.status, run.reason, run.head, run.next_node) == ("queued", "started", 0, "look")
    assert (run.caller, run.started_by, run.on_behalf_of, run.channel) == (
        "Ada",
        engine.starter,
        "a customer",
        "api",
    )
    assert (bytes(run.input), run.effect_scope, run.mode) == (b'{"steps":3}', run.id, "live")
    assert run.due_at is not None


def test_a_start_is_told_and_audited(engine: Bench) -> None:
    run, _ = start(engine)
    assert Event.objects.get(run=run).what == "started"
    assert AuditRow.objects.get(verb="started").detail == {"business_key": "k"}


def test_the_same_key_and_input_is_the_same_run(engine: Bench) -> None:
    first, _ = start(engine, {"a": 1, "b": 2})
    again, created = start(engine, '{"b": 2, "a": 1.0}')
    assert (again.id, created) == (first.id, False)
    assert Event.objects.count() == AuditRow.objects.filter(verb="started").count() == 1


def test_the_same_key_with_another_input_is_refused_and_names_the_run(engine: Bench) -> None:
    first, _ = start(engine, {"a": 1})
    with pytest.raises(KeyReusedError, match=str(first.id)):
        start(engine, {"a": 2})
    assert Run.objects.count() == 1


def test_a_key_belongs_to_tenant_and_task_type(engine: Bench) -> None:
    start(engine)
    start(engine, task_type="strict")
    runs.start(make_tenant("other"), Request("steps", "k", {}, channel="test"), actor=CALLER)
    assert Run.objects.count() == 3


def test_a_key_is_stripped_and_must_have_a_sensible_length(engine: Bench) -> None:
    assert start(engine, key=" k ")[0].business_key == "k"
    for key in ("", "   ", "x" * 201):
        with pytest.raises(InputRefusedError, match="1 to 200 characters"):
            start(engine, key=key)


def test_an_unknown_task_type_is_refused(engine: Bench) -> None:
    with pytest.raises(UnknownTaskTypeError, match="'nonsense'"):
        start(engine, task_type="nonsense")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"a":1,"a":2}', "/a: is a key that appears twice"),
        ('{"a":{"b":NaN}}', "/a/b: is NaN"),
        ({"a": float("inf")}, "/a: is NaN or infinite"),
        ({"a": [0, 2**53]}, "/a/1: is an integer outside"),
        ('{"a":9007199254740993}', "/a: is an integer outside"),
        ({"a": "\ud800"}, "/a: "),
        ('{"a":"\\u0000"}', "/a: "),
        ({"a": (1, 2)}, "/a: "),
        ({"a": object()}, "/a: "),
        ("[1]", "does not fit at /"),
        ("{", "not JSON"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_input_that_cannot_be_kept_is_refused_by_its_path(
    engine: Bench, content: Any, says: str
) -> None:
    with pytest.raises(InputRefusedError, match=says):
        start(engine, content)
    assert not Run.objects.exists()


def test_input_over_the_limit_is_refused(engine: Bench) -> None:
    with pytest.raises(InputRefusedError, match="over the limit of 262,144"):
        start(engine, {"a": "x" * asked.INPUT_LIMIT_BYTES})


def test_input_must_fit_the_schema_and_the_refusal_says_where(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "array", "items": {"minimum": 5}}}}
    manifest = registry.GRAPHS["steps"].manifest
    monkeypatch.setattr(
        registry.GRAPHS["steps"],
        "manifest",
        type(manifest)(**{**manifest.__dict__, "input_schema": schema}),
    )
    with pytest.raises(InputRefusedError, match="does not fit at /n/1"):
        start(engine, {"n": [7, 3]})


def test_a_stop_of_new_runs_refuses_a_start_and_nothing_is_kept(engine: Bench) -> None:
    stops.stop(engine.tenant, "new_runs", why="flood", actor=CALLER)
    with pytest.raises(StoppedError, match=r"new runs are stopped by test since .*: flood"):
        start(engine)
    assert not Run.objects.exists()


def test_a_stop_of_effects_does_not_stop_new_runs(engine: Bench) -> None:
    stops.stop(None, "effects", why="incident", actor=CALLER)
    assert start(engine)[1]


def test_a_shadow_run_does_not_take_the_key_of_the_live_one(engine: Bench) -> None:
    run, _ = start(engine)
    row = Run.objects.filter(pk=run.pk).values().get()
    twin = Run(**{**row, "id": uuid7(), "mode": "shadow"})
    twin.save(force_insert=True)
    assert start(engine)[0].id == run.id
    connection.check_constraints()


def test_a_run_can_be_pinned_to_a_combo_of_the_same_code(engine: Bench) -> None:
    combo = another("steps", "Think twice.")
    request = Request("steps", "pinned", {}, channel="test", pinned_to=combo)
    run, _ = runs.start(engine.tenant, request, actor=Actor.person(engine.starter))
    assert run.combo == combo
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.combo) == ("succeeded", combo)
