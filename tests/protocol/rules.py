"""The rules of the protocol, by number, each with the tests that produce what breaks it.

`python -m pytest tests/protocol` fails when a rule has no test, or names one that is gone.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """What the rule is about, and where it is tested: `path::function`, or a path for all of it."""

    about: str
    tests: tuple[str, ...]


RACES = "tests/concurrency/"
GIT = "tests/agents/tools/git/"

RULES = {
    1: Rule(
        "did not happen is made true before it is final",
        (
            GIT + "test_races.py::test_of_push_and_void_exactly_one_side_wins",
            GIT + "test_races.py::test_a_push_lands_after_its_worker_and_its_git_are_dead",
            GIT + "test_races.py::test_after_a_void_the_push_of_a_dead_worker_cannot_land",
            "tests/contract/test_suite.py::test_after_a_void_no_attempt_can_succeed",
        ),
    ),
    2: Rule(
        "a refusal can hide a success",
        (
            GIT + "test_pushing.py::test_a_moved_branch_is_unknown_and_stays_where_it_is",
            "tests/contract/test_suite.py::test_one_perform_is_one_request_and_one_effect",
        ),
    ),
    3: Rule("evidence blocks a further attempt", (RACES + "test_receipts_late.py",)),
    4: Rule(
        "guards are judged after the wait, on the row as it is",
        (RACES + "test_commits_guards.py", RACES + "test_dispatch_guards.py"),
    ),
    5: Rule("keys outlive attempts, forks and going back", ()),
    6: Rule(
        "one approval, one effect; a verdict never sends", (RACES + "test_dispatch_guards.py",)
    ),
    7: Rule("a lost lock shortens the lease and nothing else", (RACES + "test_leases_zombies.py",)),
    8: Rule("a stopped worker is killed before it could send late", ()),
    9: Rule("windows are waited out without a worker", ()),
    10: Rule(
        "a tool claims only what it can do",
        (
            "tests/contract/test_suite.py::test_two_calls_at_once_have_one_effect_if_it_says_so",
            "tests/agents/tools/mail/test_sending.py::test_the_farewell_does_not_matter",
            GIT
            + "test_pushing.py::test_a_second_attempt_cannot_push_again_after_somebody_went_back",
        ),
    ),
    11: Rule("stops and cancels are in the guards", (RACES + "test_stops_dispatch.py",)),
    12: Rule("going back writes on, and never past an effect in flight", ()),
    13: Rule("the journal and the holder outlive a record that went back", ()),
    14: Rule("after a lost connection nothing is sent again", ()),
    15: Rule("no wake-up is lost", (RACES + "test_wakes_lost.py",)),
    16: Rule("the receipt comes first, alone", ()),
    17: Rule("only crashes without progress are counted", ()),
    18: Rule("every node gets the committed bytes", ()),
    19: Rule("a named blob is not collected", (RACES + "test_commits_blobs.py",)),
    20: Rule("who decides is counted under the lock", (RACES + "test_approvals_decisions.py",)),
    21: Rule("one business key, one run", (RACES + "test_start_races.py",)),
    22: Rule(
        "the bytes of a push are fixed when it is proposed",
        (
            GIT + "test_building.py::test_same_inputs_make_the_same_commit_and_pack",
            GIT + "test_building.py::test_git_itself_makes_the_same_commit",
        ),
    ),
    23: Rule(
        "the outside world is the oracle, per key and again after all margins",
        (
            "tests/crash/test_judge.py::test_a_second_effect_of_one_key_is_a_duplicate",
            "tests/crash/test_judge.py::test_a_repeat_under_another_key_is_a_duplicate",
            "tests/crash/test_matrix_short.py",
        ),
    ),
    24: Rule(
        "a supervisor restarts, and ends PostgreSQL last",
        (
            "tests/config/test_supervision.py::test_a_killed_program_is_started_again_and_the_others_stay",
            "tests/config/test_supervision.py::test_the_first_group_stops_last",
        ),
    ),
}

# Public bug reports turned into scenarios: the same, by their number.
SCENARIOS = ("s01", "s03", "s12", "s14", "s16", "s20", "s22", "s24")
