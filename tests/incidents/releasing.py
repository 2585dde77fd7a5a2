"""Incidents A45 to A54: releases, their gates, and what they leave behind."""

from typing import Final

from tests.incidents.incident import Incident, tests_in

INCIDENTS: Final[dict[str, Incident]] = {
    "A45": Incident(
        tests_in(
            "incidents/test_releasing.py",
            "test_runs_that_a_new_combo_cannot_load_are_blocked_by_version_and_can_resume",
        )
        + tests_in(
            "releases/numbers/test_taking.py",
            "test_a45_a_run_that_no_worker_takes_counts_as_one_that_needs_a_person",
        )
        + tests_in(
            "releases/combos/test_two_pools.py",
            "test_each_pool_runs_its_own_code_and_what_none_runs_says_so",
        )
    ),
    "A46": Incident(
        tests_in(
            "releases/gates/test_verdicts.py",
            "test_a46_measurements_that_all_failed_are_broken_and_never_a_pass",
        )
        + tests_in(
            "releases/numbers/test_taking.py",
            "test_a46_a_read_that_fails_is_broken_telemetry_and_no_zero",
        )
    ),
    "A47": Incident(
        tests_in(
            "releases/gates/test_verdicts.py",
            "test_a47_an_arm_without_runs_is_no_evidence_and_holds",
        )
        + tests_in(
            "releases/numbers/test_taking.py",
            "test_a47_nothing_at_all_is_not_enough_evidence_and_holds",
        )
    ),
    "A48": Incident(
        tests_in(
            "releases/gates/test_verdicts.py",
            "test_a48_a_broken_safety_constraint_stops_at_the_first",
        )
        + tests_in("releases/test_moving.py", "test_a48_a_machine_stops_it_wherever_it_stands")
        + tests_in(
            "releases/test_watching.py",
            "test_a_candidate_that_fails_is_stopped_while_a_person_is_waited_for",
        )
    ),
    "A49": Incident(
        tests_in(
            "releases/gates/test_verdicts.py",
            "test_a49_three_of_three_are_no_pass_before_there_are_enough",
            "test_a49_one_failure_of_two_is_no_fail_before_there_are_enough",
            "test_a49_one_duplicate_stops_however_few_were_looked_at",
        )
    ),
    "A50": Incident(
        tests_in(
            "releases/rollbacks/test_whole.py",
            "test_a50_nobody_restores_only_some_of_a_combo",
            "test_a50_a_run_has_the_texts_of_one_combo_in_every_phase",
            "test_a50_a_run_names_a_combo_and_no_part_of_one",
        )
        + tests_in("releases/rollbacks/test_phases.py", "test_a50_no_run_is_ever_on_two_combos")
    ),
    "A51": Incident(
        tests_in(
            "releases/rollbacks/test_proposing.py",
            "test_a51_runs_that_only_go_forward_get_another_choice_first",
        )
    ),
    "A52": Incident(
        tests_in(
            "releases/rollbacks/test_machine.py",
            "test_a52_metrics_that_stay_bad_roll_nothing_back_again",
        )
    ),
    "A53": Incident(
        tests_in(
            "releases/gates/test_standing.py",
            "test_a53_from_a_stop_only_a_person_leads_on_and_only_to_the_shadow",
        )
        + tests_in(
            "releases/test_moving.py", "test_a53_what_was_stopped_comes_back_as_a_shadow_only"
        )
    ),
    "A54": Incident(
        tests_in(
            "checkpoints/test_arms.py",
            "test_of_ten_thousand_keys_the_share_is_taken_within_chance",
            "test_a54_each_stage_only_adds_and_asking_twice_changes_nothing",
        )
    ),
}
