"""Servers that ignore what they are told must fail the contract: a suite that passes them proves nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract import http_worlds, object_worlds
from tests.contract.test_suite import TestEveryTool as EveryTool
from tests.contract.test_suite import TestToolsThatCanBeAsked as ToolsThatCanBeAsked
from tests.contract.test_suite import TestToolsThatVoid as ToolsThatVoid
from tests.contract.test_suite import TestToolsWithKeys as ToolsWithKeys
from tests.contract.worlds import World

Clause = Callable[[World], None]


@pytest.fixture
def localstripe(tmp_path: Path) -> Iterator[World]:
    made = http_worlds.localstripe_customer(tmp_path)
    yield made
    made.close()


@pytest.fixture
def s3rver(tmp_path: Path) -> Iterator[World]:
    made = object_worlds.s3rver(tmp_path)
    yield made
    made.close()


def broken(clauses: list[Clause], world: World) -> set[str]:
    """The clauses that this world does not keep."""
    failed = set()
    for clause in clauses:
        try:
            clause(world)
        except AssertionError:
            failed.add(clause.__name__)
    return failed


def test_a_server_that_ignores_the_key_is_found_out(localstripe: World) -> None:
    suite = ToolsWithKeys()
    clauses: list[Clause] = [
        suite.test_the_same_key_again_has_no_second_effect,
        suite.test_two_calls_at_once_have_one_effect_if_it_says_so,
    ]
    assert broken(clauses, localstripe) == {clause.__name__ for clause in clauses}


def test_what_it_does_honour_is_not_held_against_it(localstripe: World) -> None:
    suite = EveryTool()
    clauses: list[Clause] = [
        suite.test_one_perform_is_one_request_and_one_effect,
        suite.test_what_left_is_what_was_stored,
        suite.test_a_dry_run_leaves_no_trace_and_is_the_same_twice,
        suite.test_the_receipt_is_what_the_schema_says,
        suite.test_a_no_of_the_world_is_refused_and_leaves_no_effect,
    ]
    assert broken(clauses, localstripe) == set()


def test_a_store_that_ignores_preconditions_is_found_out(s3rver: World) -> None:
    suite = ToolsThatVoid()
    clauses: list[Clause] = [
        suite.test_a_second_attempt_has_no_second_effect,
        suite.test_after_a_void_no_attempt_can_succeed,
        suite.test_a_void_after_the_effect_finds_it,
        suite.test_of_two_attempts_at_once_one_has_the_effect,
    ]
    assert broken(clauses, s3rver) == {clause.__name__ for clause in clauses}


def test_looking_works_there_all_the_same(s3rver: World) -> None:
    suite = ToolsThatCanBeAsked()
    clauses: list[Clause] = [
        suite.test_nothing_done_is_absent_and_asking_leaves_no_trace,
        suite.test_it_finds_the_very_receipt_that_perform_gave,
        suite.test_it_finds_an_effect_whose_answer_was_lost,
    ]
    assert broken(clauses, s3rver) == set()
