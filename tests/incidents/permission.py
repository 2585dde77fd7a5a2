"""Incidents A01 to A20: binding, staleness, reuse, and who decides."""

from typing import Final

from tests.incidents.incident import Incident, tests_in

BINDING: Final = tests_in(
    "approvals/test_binding.py",
    "test_a_flipped_field_is_refused_by_name_and_nothing_is_sent",
    "test_every_bound_field_has_a_flip",
)
CRASHES: Final = tests_in(
    "crash/test_matrix_short.py",
    "test_killed_at_every_boundary_nothing_is_lost_or_done_twice",
)

INCIDENTS: Final[dict[str, Incident]] = {
    "A01": Incident(
        tests_in(
            "incidents/test_once.py",
            "test_a_yes_to_make_what_was_not_there_is_used_up_by_the_first_effect",
        )
        + tests_in("approvals/test_hashing.py", "test_absence_is_a_version")
    ),
    "A02": Incident(
        tests_in(
            "approvals/test_uses.py",
            "test_the_approval_of_another_action_does_not_carry_over",
            "test_an_approval_fits_only_what_was_approved",
        )
        + BINDING
    ),
    "A03": Incident(
        tests_in("incidents/test_once.py", "test_what_was_taken_back_is_not_sent_with_the_rest")
    ),
    "A04": Incident(
        tests_in(
            "incidents/test_once.py",
            "test_the_same_question_again_costs_no_second_yes_and_gains_no_time",
        )
        + tests_in("approvals/test_requests.py", "test_another_question_withdraws_the_live_one")
    ),
    "A05": Incident(
        tests_in(
            "approvals/test_binding_volatile.py",
            "test_a05_a_hundred_dry_runs_of_one_change_have_one_digest",
            "test_whatever_is_not_volatile_counts",
        )
    ),
    "A06": Incident(
        BINDING
        + tests_in(
            "reconciliation/test_actions.py",
            "test_the_tool_gets_the_frozen_bytes_and_what_is_left_of_its_time",
            "test_other_bytes_on_the_wire_are_told",
        )
    ),
    "A07": Incident(
        tests_in(
            "execution/test_effects.py", "test_a_world_that_moved_after_the_yes_is_asked_about_anew"
        )
        + tests_in(
            "agents/tools/git/test_showing.py",
            "test_a_moved_branch_shows_another_version_and_what_would_be_lost",
        )
    ),
    "A08": Incident(
        tests_in(
            "approvals/test_decisions.py",
            "test_a_request_altered_after_it_was_shown_cannot_be_decided",
            "test_another_hash_than_the_pages_is_refused",
        )
        + tests_in(
            "approvals/pages/test_views_changes.py", "test_forms_carry_the_hash_that_was_rendered"
        )
    ),
    "A09": Incident(
        tests_in(
            "approvals/test_binding_round_trip.py",
            "test_a09_other_bytes_on_the_wire_hold_the_run_with_both_digests",
        )
        + tests_in("contract/test_suite.py::TestEveryTool", "test_what_left_is_what_was_stored")
    ),
    "A10": Incident(
        tests_in(
            "incidents/test_resuming.py",
            "test_another_tool_than_the_one_sent_back_is_asked_under_its_own_rule",
        ),
        why="Nobody edits a proposal: what is sent back is proposed anew, so there is no editor.",
    ),
    "A11": Incident(
        tests_in(
            "concurrency/test_approvals_uses.py",
            "test_an_approval_is_used_by_one_of_many_at_once",
        )
        + tests_in(
            "concurrency/test_dispatch_guards.py",
            "test_rule_6_of_two_dispatches_at_once_one_uses_the_approval",
        )
    ),
    "A12": Incident(
        tests_in(
            "approvals/drift/test_anew.py",
            "test_a12_an_expired_question_is_refused_and_shown_as_expired_without_a_sweeper",
        )
        + tests_in(
            "approvals/test_uses.py", "test_an_expired_approval_is_refused_without_a_sweeper"
        )
    ),
    "A13": Incident(
        tests_in(
            "approvals/drift/test_anew.py",
            "test_a_yes_that_comes_too_late_gets_the_three_way_page_and_the_way_on",
        )
        + tests_in("approvals/pages/test_posts.py", "test_a_stale_tab_sees_in_place_what_moved")
    ),
    "A14": Incident(
        tests_in(
            "incidents/test_once.py",
            "test_no_answer_in_time_is_neither_a_no_nor_an_open_question",
        )
    ),
    "A15": Incident(
        tests_in("incidents/test_once.py", "test_what_is_approved_and_not_sent_never_reads_as_done")
        + tests_in(
            "reconciliation/pages/test_views_inbox.py",
            "test_what_is_approved_and_not_sent_stands_there_with_its_age",
        )
    ),
    "A16": Incident(
        tests_in(
            "incidents/test_resuming.py",
            "test_a_restart_loses_no_question_and_gives_none_more_time",
        )
        + tests_in("execution/test_sweeper.py", "test_flushall_loses_no_run")
        + CRASHES
    ),
    "A17": Incident(
        tests_in(
            "approvals/test_binding_volatile.py",
            "test_a17_words_for_people_are_no_part_of_what_a_tool_is",
            "test_what_a_schema_takes_is_part_of_what_a_tool_is",
        )
        + tests_in(
            "approvals/drift/test_anew.py",
            "test_dry_run_again_closes_the_old_and_the_new_one_shows_what_is_new",
        )
    ),
    "A18": Incident(
        tests_in("incidents/test_doors.py", "test_no_door_lets_the_starter_approve"),
        why="There is no admin site, no command that decides, and no way round the rules.",
    ),
    "A19": Incident(
        tests_in(
            "approvals/test_rules_people.py",
            "test_the_starter_is_in_no_quorum_though_in_every_group",
            "test_a_yes_of_the_starter_counts_for_nothing_however_it_got_there",
        )
        + tests_in(
            "approvals/test_decisions.py",
            "test_nobody_approves_a_run_that_works_on_their_behalf",
        )
    ),
    "A20": Incident(
        tests_in(
            "tenants/test_credentials.py",
            "test_no_route_takes_a_credential_not_even_beside_a_session",
            "test_it_is_refused_before_session_person_and_rights_are_read",
        )
        + tests_in(
            "approvals/people/test_proving.py",
            "test_machines_and_service_users_are_refused_before_their_rights_are_read",
        )
        + tests_in(
            "config/test_roles_worker.py",
            "test_a_worker_does_all_of_a_run_and_cannot_say_yes_for_anybody",
        )
    ),
}
