"""What a tool is handed."""

import pytest

from checkpoints import blobs
from reconciliation.calls import call_for, capabilities, tool_of
from reconciliation.tools import Capabilities
from tests.engine.turns import Bench
from tests.reconciliation.oddtools import put
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def test_a_call_carries_names_bytes_and_time(it: Ready) -> None:
    attempt = it.dispatch()
    call = call_for(it.action, attempt, seconds_left=0.5)
    assert (call.action_id, call.attempt_id) == (str(it.action.id), str(attempt.id))
    assert call.key == bytes(it.action.key).hex()
    assert (call.tenant, call.parameters) == (it.action.tenant.slug, {"what": "a-0"})
    assert call.parameter_bytes == b'{"what":"a-0"}'
    assert call.budget_seconds == 0.5


def test_every_attempt_has_one_key_and_an_id_of_its_own(it: Ready) -> None:
    first = it.dispatch()
    it.end(first)
    calls = [call_for(it.action, attempt) for attempt in (first, it.dispatch())]
    assert calls[0].key == calls[1].key
    assert calls[0].attempt_id != calls[1].attempt_id


def test_a_dry_run_has_an_attempt_id_nobody_has(it: Ready) -> None:
    assert call_for(it.action).attempt_id != call_for(it.action).attempt_id


def test_a_call_reads_blobs_of_its_own_tenant(it: Ready) -> None:
    reference = blobs.put(it.action.tenant_id, b"large")
    assert call_for(it.action).read_blob(reference) == b"large"


def test_what_a_tool_can_do_is_asked_for_the_very_target(
    it: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = put(monkeypatch, "fake.void")
    monkeypatch.setattr(tool, "capabilities_for", lambda *_: Capabilities(look_up=True))
    assert tool_of(it.action) is tool
    assert capabilities(it.action) == Capabilities(look_up=True)
