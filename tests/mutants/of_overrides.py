"""Checks of keys that are sent by hand, and of what a move means for what waits."""

from tests.mutants.mutant import Mutant

SETTING = "tests/releases/overrides/test_setting.py::"
IMPACT = "tests/releases/impact/test_reading.py::"

MUTANTS = (
    Mutant(
        "by_hand",
        "a key that is sent by hand gets its arm",
        "checkpoints/routes.py",
        '    by_hand = forced(route, business_key) if route.candidate_id else ""\n',
        '    by_hand = ""\n',
        f"{SETTING}test_a_key_goes_where_it_is_sent_and_the_next_goes_by_its_share",
    ),
    Mutant(
        "by_hand_compared",
        "gates compare no run that was sent by hand",
        "releases/numbers/subjects.py",
        "sent.business_key = run.business_key AND",
        "FALSE AND",
        f"{SETTING}test_gates_compare_no_run_that_was_sent_by_hand",
    ),
    Mutant(
        "by_hand_right",
        "sending a key by hand takes the right",
        "releases/overrides/setting.py",
        "    if user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):\n",
        "    if False:\n",
        f"{SETTING}test_it_takes_the_right_and_a_route",
    ),
    Mutant(
        "override_stays",
        "who sent which key where stays",
        "checkpoints/migrations/0017_overrides.sql",
        "    ELSIF OLD.ended_at IS NOT NULL OR",
        "    ELSIF FALSE AND",
        f"{SETTING}test_the_database_keeps_an_override_as_it_was",
    ),
    Mutant(
        "impact_gone",
        "after a promotion workers of older code are not counted on",
        "releases/impact/judging.py",
        "move == standing.WIDEN and part in alive",
        "part in alive",
        f"{IMPACT}test_a_promotion_to_other_code_says_what_goes_on_and_names_the_rest",
    ),
    Mutant(
        "impact_guess",
        "a process without the candidate's code does not guess what it reads",
        "releases/impact/reading.py",
        "is_here = bool(going) and runs_here(release.candidate)",
        "is_here = bool(going)",
        f"{IMPACT}test_a_process_without_the_candidates_code_does_not_guess",
    ),
)
