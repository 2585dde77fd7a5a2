"""Checks of moving a run to another combo: by an order, at a boundary, with nothing of it out."""

from tests.mutants.mutant import Mutant

SQL = "checkpoints/migrations/0016_repins.sql"
RECORD = "tests/checkpoints/test_repins.py::"
ENGINE = "tests/execution/repins/"


def _sql(name: str, rule: str, broken: str, test: str, *, what: str = "run") -> Mutant:
    said = f"PERFORM kedge_refuse_repin('{what}', '{broken}');"
    return Mutant(name, rule, SQL, said, "NULL;", f"{RECORD}{test}")


MUTANTS = (
    _sql(
        "repin_ordered",
        "the combo of a run moves only as ordered",
        "a_run_moves_only_as_ordered",
        "test_postgresql_moves_no_run_without_an_order_or_elsewhere",
    ),
    _sql(
        "repin_whole",
        "the order of a move ends with it, at the head of then",
        "a_move_is_whole",
        "test_postgresql_moves_no_run_without_an_order_or_elsewhere",
    ),
    _sql(
        "repin_leased",
        "no run is moved that somebody is at",
        "no_leased_run_is_moved",
        "test_postgresql_moves_no_run_that_somebody_is_at",
    ),
    _sql(
        "repin_in_flight",
        "no run is moved past an effect that is out",
        "no_run_is_moved_past_an_unsettled_effect",
        "test_postgresql_moves_no_run_past_an_effect_that_is_out",
    ),
    Mutant(
        "repin_commit",
        "nothing is committed under the combo before the move",
        "checkpoints/commits.py",
        " AND combo_id = %(combo)s",
        "",
        f"{RECORD}test_after_a_move_nothing_is_committed_under_the_old_combo",
    ),
    Mutant(
        "repin_absorbs",
        "who proposed an effect that is out takes it in",
        "reconciliation/migrations/0010_repins.sql",
        "PERFORM kedge_refuse_repin('run', 'no_run_is_moved_with_an_open_action');",
        "NULL;",
        f"{ENGINE}test_repinning.py::test_rule_12_postgresql_moves_no_run_with_an_open_action",
    ),
    Mutant(
        "repin_ordinal",
        "what a move gave up is proposed again with the same ordinal",
        "execution/repinning.py",
        '    if any(mark.get("is") == PROPOSED for mark in marks)',
        "    if False",
        f"{ENGINE}test_repinning.py::"
        "test_what_is_proposed_and_not_sent_is_withdrawn_and_proposed_anew",
    ),
    Mutant(
        "successor_alive",
        "a successor takes nothing over while the run's own workers live",
        "execution/succeeding.py",
        " or announcing.code_of(of) in announcing.alive():",
        ":",
        f"{ENGINE}test_succeeding.py::test_its_own_worker_that_comes_back_in_between_keeps_it",
    ),
)
