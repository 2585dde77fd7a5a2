"""The contract: what every tool and every fake must do, whatever it changes."""

import threading
import time
from dataclasses import replace

import jsonschema
import pytest

from canonical.digests import sha256_hex
from canonical.json import dumps, loads
from reconciliation.tools import (
    Absent,
    Call,
    Capabilities,
    Found,
    Magnitude,
    Refused,
    Sent,
    Unanswered,
    Voided,
)
from tests.contract.conftest import WORLDS
from tests.contract.worlds import World, hurried, next_attempt

Answer = Sent | BaseException


def numbers(magnitude: Magnitude) -> list[int]:
    """The numbers of a magnitude, and 0."""
    return [0, *(value for value in magnitude.as_json().values() if isinstance(value, int))]


def tried(world: World, call: Call) -> Answer:
    """What `perform` answers, an exception included."""
    try:
        return world.tool.perform(call)
    except Exception as error:
        return error


def performed_together(world: World, first: Call, second: Call) -> list[Answer]:
    """What two calls at the same moment answer."""
    answers: list[Answer] = []
    gate = threading.Barrier(2)

    def go(call: Call) -> None:
        gate.wait()
        answers.append(tried(world, call))

    threads = [threading.Thread(target=go, args=[call]) for call in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


class TestEveryTool:
    can = ""

    def test_schemas_are_schemas_and_refuse_what_they_do_not_name(self, world: World) -> None:
        tool, call = world.tool, world.call()
        check = jsonschema.Draft202012Validator
        check.check_schema(tool.parameters_schema)
        check.check_schema(tool.receipt_schema)
        valid = check(tool.parameters_schema)
        for parameters in (dict(call.parameters), *world.odd_parameters()):
            valid.validate(parameters)
            assert not valid.is_valid(parameters | {"more": 1})

    def test_what_it_declares_is_what_it_is_tested_for(
        self, world: World, request: pytest.FixtureRequest
    ) -> None:
        can = world.tool.capabilities
        declared = WORLDS[request.node.callspec.params["world"]][1]
        assert declared == {
            *(["void"] if can.void else []),
            *(["look_up"] if can.look_up else []),
            *(["keyed"] if can.keyed else []),
            *([] if can.void or can.look_up or can.keyed else ["nothing"]),
        }

    def test_capabilities_at_a_target_never_exceed_the_best_case(self, world: World) -> None:
        call, best = world.call(), world.tool.capabilities
        here = world.tool.capabilities_for(call.tenant, call.parameters)
        assert here in (best, replace(best, void=False), Capabilities())

    def test_it_can_always_say_what_it_would_do(self, world: World) -> None:
        tool = world.tool
        for parameters in (world.call().parameters, *world.odd_parameters()):
            said = tool.describe(parameters)
            assert said.endswith(".")
            assert "\n" not in said
            assert tool.target(parameters) == tool.target(parameters) != ""
            assert min(numbers(tool.magnitude(parameters))) >= 0

    def test_a_dry_run_leaves_no_trace_and_is_the_same_twice(self, world: World) -> None:
        call, before = world.call(), world.seen_outside()
        first, second = world.tool.dry_run(call), world.tool.dry_run(next_attempt(call))
        assert first == second
        assert first.diff
        assert first.media in {"text/x-diff", "application/json", "text/plain"}
        assert world.seen_outside() == before
        assert world.effects(call.key) == 0

    def test_one_perform_is_one_request_and_one_effect(self, world: World) -> None:
        call, before = world.call(), world.requests()
        world.tool.perform(call)
        assert world.requests() == before + 1
        assert world.effects(call.key) == 1

    def test_the_receipt_is_what_the_schema_says(self, world: World) -> None:
        receipt = world.tool.perform(world.call()).receipt
        jsonschema.validate(loads(receipt), world.tool.receipt_schema)
        assert dumps(loads(receipt)) == receipt
        assert len(receipt) <= world.tool.largest_receipt_bytes

    def test_what_left_is_what_was_stored(self, world: World) -> None:
        call = world.call()
        assert world.tool.perform(call).wire_digest == sha256_hex(call.parameter_bytes)

    def test_a_no_of_the_world_is_refused_and_leaves_no_effect(self, world: World) -> None:
        world.refuse()
        call = world.call()
        with pytest.raises(Refused):
            world.tool.perform(call)
        assert world.effects(call.key) == 0

    def test_a_lost_answer_is_unknown_and_sent_once(self, world: World) -> None:
        world.lose_answers()
        call, before = world.call(), world.requests()
        answer = tried(world, call)
        assert isinstance(answer, Exception)
        assert not isinstance(answer, Refused)
        assert world.requests() == before + 1
        assert world.effects(call.key) == 1

    def test_a_silent_world_is_unknown_within_the_budget(self, world: World) -> None:
        world.hang()
        call, start = hurried(world.call(), 1.0), time.monotonic()
        answer = tried(world, call)
        assert isinstance(answer, Exception)
        assert not isinstance(answer, Refused)
        assert 0.5 < time.monotonic() - start < 4

    def test_a_credential_that_works_is_not_complained_about(self, world: World) -> None:
        world.tool.check_credential(world.call().tenant)


class TestToolsThatCanBeAsked:
    can = "look_up"

    def test_nothing_done_is_absent_and_asking_leaves_no_trace(self, world: World) -> None:
        call, before = world.call(), world.seen_outside()
        assert world.tool.look_up(call) == Absent()
        assert world.seen_outside() == before

    def test_it_finds_the_very_receipt_that_perform_gave(self, world: World) -> None:
        call = world.call()
        sent = world.tool.perform(call)
        assert world.tool.look_up(call) == Found(sent.receipt, 1)

    def test_it_finds_an_effect_whose_answer_was_lost(self, world: World) -> None:
        call = world.call()
        world.lose_answers()
        assert isinstance(tried(world, call), Exception)
        found = world.tool.look_up(next_attempt(call))
        assert isinstance(found, Found)
        assert call.attempt_id.encode() in found.receipt


class TestToolsThatVoid:
    can = "void"

    def test_a_second_attempt_has_no_second_effect(self, world: World) -> None:
        call = world.call()
        sent = world.tool.perform(call)
        for again in (call, next_attempt(call)):
            answer = tried(world, again)
            assert isinstance(answer, Exception)
            assert not isinstance(answer, Refused)
        assert world.effects(call.key) == 1
        assert world.tool.look_up(call) == Found(sent.receipt, 1)

    def test_after_a_void_no_attempt_can_succeed(self, world: World) -> None:
        call = world.call()
        assert isinstance(world.tool.void(call), Voided)
        answer = tried(world, call)
        assert isinstance(answer, Exception)
        assert not isinstance(answer, Refused)
        assert world.effects(call.key) == 0
        absent = world.tool.look_up(call)
        assert isinstance(absent, Absent)
        assert absent.voided

    def test_a_void_after_the_effect_finds_it(self, world: World) -> None:
        call = world.call()
        sent = world.tool.perform(call)
        assert world.tool.void(next_attempt(call)) == Found(sent.receipt, 1)
        # Who asked may die before writing it down: asked again, it is found again.
        assert world.tool.void(next_attempt(call)) == Found(sent.receipt, 1)

    def test_voiding_twice_is_voiding(self, world: World) -> None:
        call = world.call()
        first, second = world.tool.void(call), world.tool.void(next_attempt(call))
        assert isinstance(first, Voided)
        assert first == second

    def test_of_two_attempts_at_once_one_has_the_effect(self, world: World) -> None:
        call = world.call()
        answers = performed_together(world, call, next_attempt(call))
        assert sorted(isinstance(answer, Sent) for answer in answers) == [False, True]
        assert not any(isinstance(answer, Refused) for answer in answers)
        assert world.effects(call.key) == 1


class TestToolsWithKeys:
    can = "keyed"

    def test_the_same_key_again_has_no_second_effect(self, world: World) -> None:
        call = world.call()
        first = world.tool.perform(call)
        assert world.tool.perform(next_attempt(call)).receipt == first.receipt
        assert world.effects(call.key) == 1

    def test_two_calls_at_once_have_one_effect_if_it_says_so(self, world: World) -> None:
        keyed = world.tool.capabilities.keyed
        assert keyed is not None
        call = world.call()
        answers = performed_together(world, call, next_attempt(call))
        assert not any(isinstance(answer, Refused) for answer in answers)
        assert 1 <= world.effects(call.key) <= (1 if keyed.locks_in_flight else 2)


class TestToolsThatCanDoNothing:
    can = "nothing"

    def test_they_answer_no_question(self, world: World) -> None:
        call = world.call()
        world.tool.perform(call)
        for ask in (world.tool.look_up, world.tool.void):
            with pytest.raises(Unanswered):
                ask(call)
