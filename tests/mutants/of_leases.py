"""Checks of leases: taken, renewed, given back, lapsed, revoked."""

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "acquire_fence",
        "who acquires fences off what a lost connection sent (rule 14)",
        "checkpoints/leases.py",
        "       fence = fence + 1, holder = %(holder)s",
        "       holder = %(holder)s",
        "tests/checkpoints/test_leases.py::test_every_grant_raises_the_fence",
    ),
    Mutant(
        "renew_fence",
        "a stale owner renews nothing",
        "checkpoints/leases.py",
        " WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s\n   AND status = 'running'",
        " WHERE id = %(run)s AND holder = %(holder)s\n   AND status = 'running'",
        "tests/checkpoints/test_leases.py::test_a_lost_lease_is_not_renewed",
    ),
    Mutant(
        "renew_holder",
        "to renew, a fence alone is not enough",
        "checkpoints/leases.py",
        " WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s\n   AND status = 'running'",
        " WHERE id = %(run)s AND fence = %(fence)s\n   AND status = 'running'",
        "tests/checkpoints/test_leases.py::test_a_lost_lease_is_not_renewed",
    ),
    Mutant(
        "renew_over",
        "a lease that is over is not renewed",
        "checkpoints/leases.py",
        "   AND status = 'running' AND lease_until > clock_timestamp()\nRETURNING",
        "   AND status = 'running'\nRETURNING",
        "tests/checkpoints/test_leases.py::test_a_lost_lease_is_not_renewed",
    ),
    Mutant(
        "release_fence",
        "a stale owner lets go of nothing",
        "checkpoints/runs.py",
        'mine = {"id": lease.run_id, "fence": lease.fence, "holder": lease.holder}',
        'mine = {"id": lease.run_id, "holder": lease.holder}',
        "tests/checkpoints/test_runs_release.py::test_a_stale_owner_lets_go_of_nothing",
    ),
    Mutant(
        "release_holder",
        "to let go, a fence alone is not enough",
        "checkpoints/runs.py",
        'mine = {"id": lease.run_id, "fence": lease.fence, "holder": lease.holder}',
        'mine = {"id": lease.run_id, "fence": lease.fence}',
        "tests/checkpoints/test_runs_release.py::test_a_stale_owner_lets_go_of_nothing",
    ),
    Mutant(
        "lapse_ended",
        "a run that has ended has no lease to take away",
        "checkpoints/runs.py",
        "Run.objects.filter(id=run_id, fence=fence, status=states.RUNNING)",
        "Run.objects.filter(id=run_id, fence=fence)",
        "tests/checkpoints/test_runs_release.py::test_a_run_that_has_ended_has_no_lease_to_take_away",
    ),
    Mutant(
        "lapse_fence",
        "a lease that was granted anew is not taken away",
        "checkpoints/runs.py",
        "Run.objects.filter(id=run_id, fence=fence, status=states.RUNNING)",
        "Run.objects.filter(id=run_id, status=states.RUNNING)",
        "tests/checkpoints/test_runs_release.py::test_a_lapse_names_its_lease_and_takes_no_other",
    ),
    Mutant(
        "revoke_fence",
        "from whom a run was revoked writes nothing more",
        "checkpoints/revoking.py",
        '        fence=F("fence") + 1,\n',
        "",
        "tests/checkpoints/test_revoking.py::test_a_revoked_run_is_taken_up_at_once_however_often_it_was_interrupted",
    ),
)
