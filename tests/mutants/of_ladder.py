"""Checks of the ladder: what a combo may do with a tool, and what a step needs."""

from tests.mutants.mutant import Mutant

ENGINE = "tests/engine/test_ladder.py::"
RECORD = "tests/checkpoints/test_rungs.py::"
CLIMBING = "tests/releases/ladder/test_climbing.py::"

MUTANTS = (
    Mutant(
        "rung_trigger",
        "the database takes no intent above the rung",
        "reconciliation/migrations/0009_rungs.sql",
        "IF stands IS DISTINCT FROM 'write' THEN",
        "IF false THEN",
        f"{ENGINE}test_the_database_takes_no_intent_above_the_rung",
    ),
    Mutant(
        "rung_dispatch",
        "the dispatch reads the rung under its lock",
        "reconciliation/ledger/dispatches.py",
        "    if not rungs.may_write(still, rung):\n",
        "    if False:\n",
        f"{ENGINE}test_the_last_check_reads_the_rung_under_its_lock",
    ),
    Mutant(
        "rung_dry_run",
        "nothing is tried below the dry run",
        "reconciliation/asking.py",
        "    refuse_above_rung(action, needs)\n",
        "",
        f"{ENGINE}test_at_the_bottom_nothing_is_tried_and_nobody_is_asked",
    ),
    Mutant(
        "rung_credential",
        "nothing asks a tool below the rung of reading",
        "execution/recheck.py",
        "if rungs.reaches(stands[name], rungs.READ)}",
        "}",
        f"{ENGINE}test_at_the_bottom_not_even_its_credential_is_looked_at",
    ),
    Mutant(
        "rung_bottom",
        "what is not stable begins at the bottom",
        "checkpoints/migrations/0018_heirs.sql",
        "CASE WHEN route.stable_id IN (SELECT combo_id FROM line) THEN 'write' ELSE 'fake' END",
        "CASE WHEN route.stable_id IN (SELECT combo_id FROM line) THEN 'write' ELSE 'write' END",
        f"{RECORD}test_with_a_route_what_is_not_stable_stands_at_the_bottom",
    ),
    Mutant(
        "rung_by_rung",
        "up leads one rung at a time, with its evidence",
        "checkpoints/migrations/0014_rungs.sql",
        "broken := 'one_rung_at_a_time_with_its_evidence';",
        "NULL;",
        f"{RECORD}test_the_database_lets_nobody_jump",
    ),
    Mutant(
        "rung_of_canary",
        "live runs of a candidate need every tool at the top",
        "releases/demands.py",
        "below = _below_write(release) if kind in SENDS else []",
        "below: list[str] = []",
        f"{CLIMBING}test_a_canary_needs_every_tool_at_the_top",
    ),
    Mutant(
        "rung_evidence",
        "a step up needs all of its evidence",
        "releases/ladder/climbing.py",
        "    if not rung.may_climb:\n",
        "    if False:\n",
        f"{CLIMBING}test_without_what_the_rung_below_shows_nobody_climbs",
    ),
)
