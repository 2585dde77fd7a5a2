"""Checks of rollbacks: their phases, whose word they start on, and what keeps them open."""

from tests.mutants.mutant import Mutant

SQL = "releases/migrations/0003_rollbacks.sql"
ROOM = "releases/rollbacks/"
TESTS = "tests/releases/rollbacks/"
GUARDS = f"{TESTS}test_guards.py::"
BOARD = f"{TESTS}test_board.py::"
PROPOSING = f"{TESTS}test_proposing.py::"
UNSAFE = f"{TESTS}test_unsafe.py::"

MUTANTS = (
    Mutant(
        "rollback_phases",
        "the phases of a rollback follow each other",
        SQL,
        "broken := 'the_phases_of_a_rollback_follow_each_other';",
        "broken := '';",
        f"{GUARDS}test_no_phase_is_jumped_over_or_gone_back_to",
    ),
    Mutant(
        "rollback_word",
        "a rollback starts on the word of a person",
        SQL,
        "broken := 'a_rollback_starts_on_the_word_of_a_person';",
        "broken := '';",
        f"{GUARDS}test_it_starts_on_the_word_of_a_person",
    ),
    Mutant(
        "rollback_second",
        "two people roll back what needs a second",
        SQL,
        "broken := 'two_people_roll_back_what_needs_a_second';",
        "broken := '';",
        f"{GUARDS}test_two_people_start_what_needs_a_second",
    ),
    Mutant(
        "rollback_whole",
        "the whole combo is restored before anything is reconciled",
        SQL,
        "broken := 'a_rollback_restores_the_whole_combo';",
        "broken := '';",
        f"{GUARDS}test_the_whole_combo_is_restored_before_anything_is_reconciled",
    ),
    Mutant(
        "rollback_closes",
        "a rollback closes when nothing is open",
        SQL,
        "broken := 'a_rollback_closes_when_nothing_is_open';",
        "broken := '';",
        f"{BOARD}test_the_database_closes_nothing_while_an_effect_is_open",
    ),
    Mutant(
        "rollback_move",
        "a roll back is made in the third phase of a rollback",
        SQL,
        "PERFORM releases_refuse('move', 'a_roll_back_is_the_third_phase_of_a_rollback');",
        "NULL;",
        f"{GUARDS}test_a_roll_back_is_made_in_its_third_phase_alone",
    ),
    Mutant(
        "effect_accepted",
        "a named person accepts an effect",
        SQL,
        "PERFORM releases_refuse('effect', 'a_named_person_accepts_an_effect_with_a_reason');",
        "NULL;",
        f"{BOARD}test_the_database_takes_no_acceptance_that_a_person_did_not_give",
    ),
    Mutant(
        "effect_known",
        "nobody accepts what nobody knows",
        f"{ROOM}signing.py",
        "        if unknown:\n",
        "        if False:\n",
        f"{BOARD}test_nobody_accepts_what_nobody_knows",
    ),
    Mutant(
        "rollback_or_plan",
        "a run of a rollback is in no saved plan",
        SQL,
        "IF EXISTS (SELECT FROM releases_rollbackrun WHERE run_id = NEW.run_id AND holds) THEN",
        "IF false THEN",
        f"{PROPOSING}test_a_run_is_in_one_unfinished_plan",
    ),
    Mutant(
        "forward_only",
        "runs that only go forward get another choice first",
        f"{ROOM}decisive.py",
        "if choices[phases.FORWARD_ONLY] == phases.TO_GO_ON and outlook.forward_only:",
        "if False:",
        f"{PROPOSING}test_a51_runs_that_only_go_forward_get_another_choice_first",
    ),
    Mutant(
        "rollback_waits",
        "a run that a worker is at is waited for",
        f"{ROOM}steps/holding.py",
        "at_work = working(rollback)",
        "at_work = 0",
        f"{TESTS}test_phases.py::test_a_run_that_a_worker_is_at_is_waited_for",
    ),
    Mutant(
        "rollback_once",
        "a machine rolls back once",
        f"{ROOM}ordering.py",
        "    if release.is_frozen:\n",
        "    if False:\n",
        f"{TESTS}test_machine.py::test_a52_metrics_that_stay_bad_roll_nothing_back_again",
    ),
    Mutant(
        "unsafe_any_plan",
        "only a machine's plan answers a broken constraint",
        f"{ROOM}unsafe.py",
        "    if is_news and not _waits(plan):\n",
        "    if is_news and plan is None:\n",
        f"{UNSAFE}test_a_plan_of_people_does_not_answer_it",
    ),
    Mutant(
        "unsafe_news",
        "what people took back comes again for a new breach alone",
        f"{ROOM}breaches.py",
        "    return (now.broken or 0) > most or not seen.issuperset(now.examples[:1])\n",
        "    return True\n",
        f"{UNSAFE}test_what_a_person_took_back_comes_again_for_a_new_breach_alone",
    ),
    Mutant(
        "unsafe_on_top",
        "what stands on an unsafe combo is stopped",
        f"{ROOM}unsafe.py",
        "        done += _stop_on_top(release, breach)\n",
        "        done += 0\n",
        f"{UNSAFE}test_what_was_on_top_is_not_planned_back_to_the_unsafe_combo",
    ),
    Mutant(
        "unsafe_back_to",
        "nothing goes back to a combo that is being withdrawn",
        f"{ROOM}decisive.py",
        "    refuse(release, by_person=by_person)\n    _refuse_back_to_withdrawn(release)\n",
        "    refuse(release, by_person=by_person)\n",
        f"{UNSAFE}test_what_was_on_top_is_not_planned_back_to_the_unsafe_combo",
    ),
    Mutant(
        "unsafe_stopped",
        "what was stopped and still writes is rolled back",
        f"{ROOM}unsafe.py",
        "Release.objects.filter(stopped | overtaken)",
        "Release.objects.filter(overtaken)",
        f"{UNSAFE}test_what_a_person_took_back_comes_again_for_a_new_breach_alone",
    ),
    Mutant(
        "unsafe_halted",
        "what cannot be rolled back does nothing more",
        f"{ROOM}unsafe.py",
        "            stopping.stop(where, lock, why=why, actor=proposing.GATES)\n",
        "",
        f"{UNSAFE}test_what_no_rollback_leads_back_from_is_stopped_once",
    ),
    Mutant(
        "rolled_back_once",
        "what was rolled back is not rolled back again",
        f"{ROOM}decisive.py",
        "    if release.moves.filter(number=release.last_move, kind=standing.ROLL_BACK).exists():\n",
        "    if False:\n",
        f"{PROPOSING}test_a_second_one_of_what_was_rolled_back_is_refused",
    ),
)
