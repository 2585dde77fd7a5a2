"""Incidents A21 to A44, A55 to A57: people, what they see, bytes, resuming, and the trail."""

from typing import Final

from tests.incidents.incident import Incident, tests_in

INCIDENTS: Final[dict[str, Incident]] = {
    "A21": Incident(
        tests_in(
            "approvals/test_rules_people.py",
            "test_one_person_with_both_roles_is_not_enough_and_two_are",
            "test_two_of_one_role_are_not_one_of_each",
        )
    ),
    "A22": Incident(
        tests_in("approvals/test_judging.py", "test_an_empty_group_satisfies_nothing")
        + tests_in("approvals/test_rules.py", "test_a_requirement_of_nobody_is_unreadable")
        + tests_in(
            "approvals/people/test_rulechecks.py",
            "test_a_group_that_is_not_there_empty_or_without_the_right_is_refused",
        )
    ),
    "A23": Incident(
        tests_in(
            "approvals/people/test_rulechecks.py",
            "test_the_only_person_of_a_tenant_cannot_approve_what_they_start",
        )
        + tests_in(
            "execution/test_rules.py",
            "test_a_demand_nobody_can_satisfy_is_denied_and_the_run_hears_which",
        ),
        why="There is no way past a rule in an emergency: other rules are another combo, on record.",
    ),
    "A24": Incident(
        tests_in("approvals/test_rules_people.py", "test_a_group_gives_no_right_to_decide"),
        why="A group has one name in the installation; the right to decide is held per tenant.",
    ),
    "A25": Incident(
        tests_in(
            "incidents/test_doors.py",
            "test_what_is_anothers_answers_as_what_is_not_there",
            "test_a_tenant_one_does_not_belong_to_answers_as_one_there_is_not",
        )
        + tests_in("approvals/test_batches.py", "test_a_question_of_another_tenant_does_not_exist")
    ),
    "A26": Incident(
        tests_in("tenants/test_urls.py", "test_only_the_pages_that_are_needed_are_mounted")
        + tests_in(
            "tenants/notifications/test_sending.py", "test_a_webhook_gets_text_that_calls_nobody"
        ),
        why="No chat can decide: messages carry a link to the page, and nothing listens for answers.",
    ),
    "A27": Incident(
        tests_in(
            "approvals/people/test_notices.py", "test_no_link_in_a_notification_decides_anything"
        )
        + tests_in("tenants/signin/test_views.py", "test_looking_at_the_link_uses_nothing_up")
    ),
    "A28": Incident(
        tests_in(
            "incidents/test_showing.py",
            "test_the_end_of_a_long_line_is_shown_and_never_cut_without_its_count",
        )
        + tests_in("canonical/test_display.py", "test_nothing_is_cut_without_being_counted")
    ),
    "A29": Incident(
        tests_in(
            "incidents/test_showing.py",
            "test_no_place_of_a_page_lets_a_character_hide",
            "test_ordinary_writing_from_right_to_left_is_left_alone",
        )
        + tests_in("ui/test_untrusted.py", "test_untrusted_text_is_printed_through_the_filter_only")
    ),
    "A30": Incident(
        tests_in(
            "incidents/test_showing.py",
            "test_a_name_stays_in_one_line_and_spellings_of_an_address_stay_apart",
        )
        + tests_in("canonical/test_json.py", "test_percent_and_plus_stay_apart")
    ),
    "A31": Incident(
        tests_in("canonical/test_links.py", "test_anything_odd_is_no_link_at_all")
        + tests_in(
            "journeys/test_hostile.py",
            "test_markup_of_a_change_is_text_and_only_plain_addresses_are_links",
        )
    ),
    "A32": Incident(
        tests_in(
            "incidents/test_showing.py",
            "test_markup_in_a_change_stays_text_wherever_it_is_printed",
        )
        + tests_in("tenants/trail/test_views.py", "test_no_cell_is_a_formula")
    ),
    "A33": Incident(
        tests_in(
            "approvals/test_binding_round_trip.py",
            "test_every_accepted_text_arrives_byte_for_byte",
        )
    ),
    "A34": Incident(
        tests_in("canonical/test_redaction.py", "test_no_spelling_of_a_known_value_stays_in_a_text")
        + tests_in("secrecy/test_sinks.py", "test_a_whole_run_leaves_no_secret_anywhere")
    ),
    "A35": Incident(
        tests_in(
            "secrecy/test_sinks.py",
            "test_no_trouble_says_a_secret",
            "test_a_refused_input_is_not_quoted",
        )
    ),
    "A36": Incident(
        tests_in("secrecy/test_sinks.py", "test_a_whole_run_leaves_no_secret_anywhere")
        + tests_in("secrecy/test_pages.py", "test_every_page_shows_marks_and_no_secret")
        + tests_in(
            "canonical/test_redaction.py",
            "test_a_sink_that_is_handed_a_text_does_not_pass_the_type_check",
        )
        + tests_in("reconciliation/payloads/test_revealing.py", "test_no_right_no_value_and_no_row")
    ),
    "A37": Incident(
        tests_in("incidents/test_bytes.py", "test_a_text_with_two_meanings_starts_no_run")
        + tests_in("canonical/test_json.py", "test_a_key_twice_is_refused")
    ),
    "A38": Incident(
        tests_in(
            "incidents/test_bytes.py",
            "test_a_text_with_two_meanings_starts_no_run",
            "test_two_texts_that_are_accepted_and_differ_never_share_a_digest",
        )
        + tests_in(
            "canonical/test_json.py",
            "test_numbers_of_which_two_spellings_differ_never_share_bytes",
        )
    ),
    "A39": Incident(tests_in("canonical/test_json.py", "test_the_canonicaliser_has_one_call_site")),
    "A40": Incident(
        tests_in(
            "incidents/test_bytes.py",
            "test_two_texts_that_are_accepted_and_differ_never_share_a_digest",
            "test_two_forms_of_one_letter_are_told_apart_on_the_page",
            "test_two_names_that_read_alike_in_one_object_are_refused",
        )
        + tests_in("canonical/test_json.py", "test_unicode_is_not_normalised")
    ),
    "A41": Incident(
        tests_in(
            "canonical/test_diffs.py",
            "test_the_diff_is_empty_exactly_when_the_bytes_are_equal",
            "test_types_are_told_apart_also_inside_lists",
        )
    ),
    "A42": Incident(
        tests_in(
            "incidents/test_resuming.py",
            "test_what_is_proposed_again_after_a_note_is_a_new_question",
        ),
        why="Nobody edits a proposal: the run hears the note and proposes by itself.",
    ),
    "A43": Incident(
        tests_in(
            "incidents/test_resuming.py",
            "test_answers_find_their_question_by_its_hash_and_never_by_its_place",
        )
        + tests_in("approvals/test_batches.py", "test_a_hash_that_is_not_the_pages_decides_nothing")
    ),
    "A44": Incident(
        tests_in(
            "engine/test_executor.py",
            "test_a_lost_answer_is_looked_up_and_never_sent_again",
            "test_a_keyed_tool_is_sent_again_under_its_key",
        )
        + tests_in(
            "crash/test_matrix_short.py",
            "test_killed_at_every_boundary_nothing_is_lost_or_done_twice",
        )
    ),
    "A55": Incident(
        tests_in(
            "concurrency/test_audit_chain.py",
            "test_twenty_writers_and_two_sealers_leave_one_chain_per_tenant",
        )
        + tests_in(
            "tenants/trail/test_chainfile.py", "test_the_command_reads_every_chain_of_the_database"
        )
    ),
    "A56": Incident(
        tests_in(
            "tenants/test_rights_audited.py",
            "test_a_right_given_and_taken_in_bulk_leaves_rows",
            "test_raw_sql_leaves_a_row_that_names_the_database_user",
        )
        + tests_in(
            "incidents/test_doors.py", "test_an_approval_made_past_the_verbs_allows_no_effect"
        )
        + tests_in("approvals/test_models.py", "test_decisions_are_facts")
    ),
    "A57": Incident(
        tests_in(
            "incidents/test_resuming.py",
            "test_a_tenant_made_anew_under_an_old_number_inherits_no_right",
        )
    ),
}
