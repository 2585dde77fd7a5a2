"""The one door to the outside: what is sent, what is kept, and what every failure means."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from canonical import digests
from checkpoints.models import Event
from checkpoints.timers import SelfStop
from reconciliation import actions, asking, journal
from reconciliation.errors import JournalError, NotDispatchedError
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.tools import Call, Refused, Sent
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import raises
from tests.reconciliation.oddtools import Odd, put
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Odd:
    return put(monkeypatch, "fake.void")


@pytest.fixture
def self_stop() -> Iterator[SelfStop]:
    with SelfStop() as made:
        yield made


def send(it: Ready, self_stop: SelfStop) -> Action:
    seen, demand = it.look()
    return actions.send(it.lease, demand, seen, self_stop)


def test_an_effect_is_journalled_sent_once_and_its_answer_kept(
    it: Ready, tool: Odd, self_stop: SelfStop
) -> None:
    action = send(it, self_stop)
    assert (action.stands, action.outcome) == ("settled", "happened")
    assert tool.asked == ["perform"]
    (effect,) = effects()
    (line,) = journal.lines()
    attempt = Attempt.objects.get()
    assert effect["key"] == line["key"] == bytes(it.action.key).hex()
    assert effect["attempt"] == line["attempt"] == str(attempt.id)
    assert bytes(Receipt.objects.get().content) == b'{"action":"%b","what":"a-0"}' % (
        str(it.action.id).encode()
    )


def test_rule_13_the_journal_is_written_after_the_intent_and_before_the_effect(
    it: Ready, tool: Odd, self_stop: SelfStop
) -> None:
    seen: list[int] = []

    def look(call: Call) -> Sent:
        seen.append(len(list(journal.lines())))
        seen.append(Attempt.objects.filter(outcome="").count())
        return Odd.perform(Odd("fake.void", tool.capabilities), call)

    tool.performing = look
    send(it, self_stop)
    assert seen == [1, 1]


def test_rule_13_without_its_line_nothing_is_sent(
    it: Ready, tool: Odd, self_stop: SelfStop, settings: Settings
) -> None:
    folder = Path(settings.KEDGE_JOURNAL_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "effects.jsonl").symlink_to("/dev/full")
    with pytest.raises(JournalError):
        send(it, self_stop)
    assert (tool.asked, effects()) == ([], [])
    assert Attempt.objects.get().outcome == "not_called"


def test_a_refused_dispatch_writes_no_line_and_sends_nothing(
    it: Ready, tool: Odd, self_stop: SelfStop
) -> None:
    with pytest.raises(NotDispatchedError):
        actions.send(it.lease, it.look()[1], "0" * 64, self_stop)
    assert (tool.asked, list(journal.lines())) == ([], [])


def test_the_tool_gets_the_frozen_bytes_and_what_is_left_of_its_time(
    it: Ready, tool: Odd, self_stop: SelfStop
) -> None:
    calls: list[Call] = []

    def keep(call: Call) -> Sent:
        calls.append(call)
        return Sent(b"{}", digests.sha256_hex(call.parameter_bytes))

    tool.performing = keep
    send(it, self_stop)
    (call,) = calls
    assert call.parameter_bytes == bytes(it.action.parameters)
    assert (call.action_id, call.key) == (str(it.action.id), bytes(it.action.key).hex())
    assert 0 < call.budget_seconds <= tool.budget_seconds


@pytest.mark.parametrize(
    "error",
    [ConnectionError("cut"), TimeoutError(), ValueError("garbled"), FileExistsError("412")],
)
def test_rule_10_every_exception_but_refused_is_unknown(
    it: Ready, tool: Odd, self_stop: SelfStop, error: Exception
) -> None:
    tool.performing = raises(error)
    action = send(it, self_stop)
    assert (action.stands, action.outcome) == ("dispatched", "unknown")
    assert Attempt.objects.get().outcome == ""
    assert not Receipt.objects.exists()
    said = Event.objects.get(what="no answer").detail["said"]
    assert said.startswith(type(error).__name__)


def test_rule_2_a_refusal_of_the_first_attempt_is_final(
    it: Ready, tool: Odd, self_stop: SelfStop
) -> None:
    tool.performing = raises(Refused("the branch is protected"))
    action = send(it, self_stop)
    assert (action.outcome, action.note) == ("refused", "the branch is protected")
    assert bytes(Receipt.objects.get().content) == b"the branch is protected"


def test_rule_2_a_refusal_of_a_later_attempt_leaves_it_unknown(
    it: Ready, tool: Odd, self_stop: SelfStop
) -> None:
    it.end(it.dispatch())
    tool.performing = raises(Refused("stale info"))
    action = send(it, self_stop)
    assert (action.stands, action.outcome) == ("dispatched", "unknown")
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == [
        "absent",
        "",
    ]


def test_other_bytes_on_the_wire_are_told(it: Ready, tool: Odd, self_stop: SelfStop) -> None:
    tool.performing = lambda _: Sent(b"{}", "f" * 64)
    assert send(it, self_stop).outcome == "happened"
    detail = Event.objects.get(what="wire digest differs").detail
    assert (detail["sent"], detail["action"]) == ("f" * 64, str(it.action.id))


def test_rule_8_the_deadline_is_set_before_the_intent_and_lifted_with_the_answer(
    it: Ready, tool: Odd
) -> None:
    log: list[str] = []

    class Watched(SelfStop):
        def limit(self, name: str, at: float) -> None:
            log.append(f"limit with {Attempt.objects.count()} intents")
            super().limit(name, at)

        def lift(self, name: str) -> None:
            log.append(f"lift with {Receipt.objects.count()} receipts")
            super().lift(name)

    with Watched() as watched:
        send(it, watched)
    assert log == ["limit with 0 intents", "lift with 0 receipts"]
    assert Receipt.objects.count() == 1


def test_an_approval_that_is_not_there_has_no_hash(it: Ready) -> None:
    asked = asking.question(it.stored_whole())
    assert actions.expected_hash(asked, None) == ""
    assert actions.expected_hash(asked, it.request) == it.request.action_hash
