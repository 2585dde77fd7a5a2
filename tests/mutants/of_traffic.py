"""Checks of the traffic: routes, moves of releases, what may be promoted and what is stopped."""

from tests.mutants.mutant import Mutant

SQL = "releases/migrations/0001_releases.sql"
MOVING = "tests/releases/test_moving.py::"

SHADOWS = "tests/execution/test_shadowing.py::"

MUTANTS = (
    Mutant(
        "shadow_stops",
        "an effect of a shadow stops at its dry run",
        "execution/effects.py",
        "    elif shadowing.is_shadow(work.run):",
        "    elif False:",
        f"{SHADOWS}test_it_stops_at_its_dry_run_and_asks_nobody",
    ),
    Mutant(
        "shadow_scope",
        "a shadow has no key in common with its live run",
        "checkpoints/twins.py",
        "        effect_scope=run_id,",
        "        effect_scope=live.effect_scope,",
        f"{SHADOWS}test_rule_5_it_has_no_key_in_common_with_its_live_run",
    ),
    Mutant(
        "shadow_borrows",
        "a shadow borrows only what is the same effect",
        "execution/shadowing.py",
        "    if keys.differs(action, theirs) and not _only_words(live, action, theirs):",
        "    if False:",
        f"{SHADOWS}test_it_ends_where_the_live_run_asked_for_something_else",
    ),
    Mutant(
        "shadow_held",
        "what holds a live run ends a shadow",
        "execution/shadowing.py",
        "    if isinstance(how, Hold):",
        "    if False:",
        f"{SHADOWS}test_what_holds_a_live_run_ends_a_shadow",
    ),
    Mutant(
        "drill_of_shadow",
        "a horse dies in a drill over a shadow run only",
        "execution/drills.py",
        "    if run.mode == LIVE_MODE or os.getpid() != _horse:",
        "    if False:",
        "tests/execution/test_drills.py::test_no_process_but_a_horse_dies_and_none_over_a_live_run",
    ),
    Mutant(
        "route_shared",
        "a start and a move of its route wait for each other",
        "checkpoints/routes.py",
        "\n   FOR SHARE\n",
        "\n",
        "tests/concurrency/test_routes.py::test_rule_21_a_start_waits_for_the_move_and_follows_it",
    ),
    Mutant(
        "critical_last",
        "critical runs have a share of their own",
        "checkpoints/routes.py",
        "share = route.share_of_critical if critical else route.share",
        "share = route.share",
        "tests/checkpoints/test_routes.py::test_a_canary_takes_its_share_and_leaves_what_is_critical",
    ),
    Mutant(
        "route_follows",
        "a route goes only where a release was moved to",
        SQL,
        "PERFORM releases_refuse('route', 'a_route_follows_its_release');",
        "NULL;",
        f"{MOVING}test_the_database_sends_runs_only_where_a_release_stands",
    ),
    Mutant(
        "move_order",
        "a move is made on the word of a person",
        "releases/migrations/0003_rollbacks.sql",
        "PERFORM releases_refuse('move', 'a_move_is_made_on_the_word_of_a_person');",
        "NULL;",
        f"{MOVING}test_the_database_moves_nothing_without_a_persons_order",
    ),
    Mutant(
        "release_stands",
        "a release stands where its last move led",
        SQL,
        "PERFORM releases_refuse('release', 'a_release_stands_where_its_last_move_led');",
        "NULL;",
        f"{MOVING}test_the_database_keeps_a_release_where_it_was_moved",
    ),
    Mutant(
        "move_digest",
        "the yes is for what was shown",
        "releases/moving.py",
        "    if digest is not None and digest != move.digest:\n",
        "    if False:\n",
        f"{MOVING}test_the_yes_is_for_what_was_shown",
    ),
    Mutant(
        "move_again",
        "what is decisive of a move is looked at again before it is made",
        "releases/moving.py",
        "        if digests.tagged(TAG, _shown(release, wanted)) != move.digest:\n",
        "        if False:\n",
        "tests/releases/test_watching.py::test_a_look_that_was_taken_meanwhile_is_another_question",
    ),
    Mutant(
        "move_second",
        "who proposed a move is not its second person",
        "releases/moving.py",
        "        if user.pk == move.proposed_by_id:\n",
        "        if False:\n",
        f"{MOVING}test_two_people_where_two_are_asked_for",
    ),
    Mutant(
        "canary_grows",
        "a canary only grows, so a key stays in its arm",
        "releases/moving.py",
        "    if wanted.share < release.share or"
        " wanted.share_of_critical < release.share_of_critical:\n",
        "    if False:\n",
        f"{MOVING}test_a_canary_only_grows_and_only_to_all",
    ),
    Mutant(
        "promotion_look",
        "a promotion waits for a look that allows it",
        "releases/demands.py",
        "    if kind == standing.PROMOTE and not taking.allows_promotion(release):\n",
        "    if False:\n",
        "tests/releases/test_watching.py::test_what_has_no_evidence_goes_on_and_nothing_is_promoted",
    ),
    Mutant(
        "gate_stops",
        "what a gate finds worse is stopped",
        "releases/watching.py",
        "    if not because:\n",
        "    if True:\n",
        "tests/releases/test_watching.py::"
        "test_a_candidate_that_fails_is_stopped_while_a_person_is_waited_for",
    ),
    Mutant(
        "worker_begins",
        "a worker begins no release",
        "config/roles.py",
        ', "releases_release"]',
        "]",
        "tests/config/test_roles_releases.py::test_the_worker_begins_no_release",
    ),
)
