"""A rollback is planned as it is shown, and starts on the word of people for exactly that."""

from datetime import timedelta

import pytest
from django.test import Client

from approvals import clock
from canonical import digests
from canonical import json as canonical
from checkpoints.models import Combo
from checkpoints.registry import combo_of
from execution.plans import drafting
from execution.plans import ordering as plans
from execution.plans.drafting import Draft, Target
from execution.plans.models import Plan
from releases.gates import policies, standing
from releases.models import Release
from releases.rollbacks import holding, ordering, phases, proposing, working
from releases.rollbacks.errors import (
    RollbackMovedError,
    RollbackRefusedError,
    SecondNeededError,
)
from releases.rollbacks.models import Rollback
from releases.rollbacks.proposing import Wanted
from tenants.access import grant
from tenants.errors import Denied
from tests.engine import registry
from tests.people import bob
from tests.reconciliation.deskwork import guards_off
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db


def older(schema: int) -> Combo:
    """A combo whose code reads another state schema."""
    told = {**registry.manifest("steps"), "state_schema": schema}
    manifest = canonical.dumps(told)
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    return Combo.objects.create(task_type="steps", digest=digest, manifest=manifest)


def stable(rolling: Rolling) -> Release:
    """A release that every new run gets, whatever its gates say."""
    release = rolling.canary()
    with guards_off():
        Release.objects.update(place="stable", share=0, share_of_critical=0)
        rolling.traffic.route().__class__.objects.update(
            stable=rolling.traffic.candidate, candidate=None, share=0, share_of_critical=0, salt=""
        )
    release.refresh_from_db()
    return release


def test_nothing_moves_before_somebody_orders_it(rolling: Rolling) -> None:
    release = rolling.canary()
    run = rolling.run()
    rollback = rolling.propose(release)
    working.carry()
    run.refresh_from_db()
    assert (Rollback.objects.get().phase, run.status) == (phases.PLANNED, "queued")
    assert rollback.beside["continues"] == 1


def test_a_second_unfinished_one_of_the_same_release_is_refused(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.start(release)
    with pytest.raises(RollbackRefusedError, match="another rollback of this release"):
        rolling.propose(release)


def test_a_second_one_of_what_was_rolled_back_is_refused(rolling: Rolling) -> None:
    release = rolling.canary()
    given_up = rolling.propose(release)
    proposing.withdraw(given_up.pk, user=rolling.traffic.ada)
    rollback = rolling.carry(rolling.start(release))
    assert rollback.ended == phases.CLOSED
    client, path = Client(), f"/t/{rolling.traffic.tenant.slug}/releases/1/rollback/"
    client.force_login(rolling.traffic.ada)
    given = {"why": "again", "others": "go_on", "forward_only": "wait"}
    refused = client.post(path, given)
    assert (refused.status_code, Rollback.objects.count()) == (422, 2)
    assert "It was rolled back already" in refused.content.decode()
    with pytest.raises(RollbackRefusedError, match="nothing to go back from"):
        rolling.propose(release)


def test_what_was_stopped_or_given_up_is_no_rollback(rolling: Rolling) -> None:
    release = rolling.canary()
    proposing.withdraw(rolling.propose(release).pk, user=rolling.traffic.ada)
    rolling.traffic.move(release, standing.STOP)
    proposing.withdraw(rolling.propose(release).pk, user=rolling.traffic.ada)
    assert rolling.carry(rolling.start(release)).ended == phases.CLOSED


def test_a_move_that_waits_keeps_nothing_from_being_rolled_back(rolling: Rolling) -> None:
    release = rolling.canary()
    move = rolling.traffic.propose(release, standing.STOP)
    assert rolling.carry(rolling.start(release)).ended == phases.CLOSED
    move.refresh_from_db()
    assert move.ended == "withdrawn"


def test_a_canary_takes_one_person(rolling: Rolling) -> None:
    assert not rolling.propose(rolling.canary()).needs_second


def test_what_is_stable_takes_two_people(rolling: Rolling) -> None:
    rollback = rolling.propose(stable(rolling))
    with pytest.raises(SecondNeededError):
        ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    with pytest.raises(RollbackRefusedError, match="somebody else"):
        ordering.second(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    ordering.second(rollback.pk, rollback.digest, user=rolling.traffic.dee)
    with pytest.raises(SecondNeededError):
        ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.dee)
    ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    rollback = rolling.carry(rollback)
    assert rollback.phase == phases.CLOSED
    assert rolling.traffic.route().stable == combo_of("steps")


def test_the_policy_of_a_release_may_ask_for_two(rolling: Rolling) -> None:
    policy = {**policies.USUAL.as_json(), "roll_back_people": 2}
    assert rolling.propose(rolling.canary(policy=policy)).needs_second


def test_the_word_is_for_what_was_shown(rolling: Rolling) -> None:
    release = rolling.canary()
    rollback = rolling.propose(release)
    with pytest.raises(RollbackMovedError):
        ordering.start(rollback.pk, "0" * 64, user=rolling.traffic.ada)
    rolling.traffic.move(release, standing.STOP)
    with pytest.raises(RollbackMovedError):
        ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)


def test_it_takes_the_right_and_a_reason(rolling: Rolling) -> None:
    release = rolling.canary()
    with pytest.raises(Denied):
        proposing.propose(release.pk, Wanted("bad"), user=bob(rolling.traffic.tenant))
    with pytest.raises(RollbackRefusedError, match="reason"):
        proposing.propose(release.pk, Wanted(" "), user=rolling.traffic.ada)
    rollback = rolling.propose(release)
    for verb in (ordering.pause, ordering.go_on, proposing.withdraw):
        with pytest.raises(Denied):
            verb(rollback.pk, user=bob(rolling.traffic.tenant))


def test_nothing_to_go_back_from_is_refused(rolling: Rolling) -> None:
    release = rolling.traffic.begin()
    with pytest.raises(RollbackRefusedError, match="does not lead on from new"):
        rolling.propose(release)


def test_under_a_release_on_top_of_it_nothing_is_rolled_back(rolling: Rolling) -> None:
    release = rolling.traffic.move(rolling.canary(), standing.STOP)
    rolling.traffic.begin()
    with pytest.raises(RollbackRefusedError, match="release 2 is under way on top"):
        rolling.propose(release)


def test_what_nobody_ordered_in_time_is_over(rolling: Rolling) -> None:
    rollback = rolling.propose(rolling.canary())
    with guards_off():
        Rollback.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    with pytest.raises(RollbackRefusedError, match="in time"):
        ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    working.carry()
    assert Rollback.objects.get().ended == "expired"


def test_a51_runs_that_only_go_forward_get_another_choice_first(rolling: Rolling) -> None:
    release = rolling.canary(stable=older(0))
    run = rolling.asking()
    with pytest.raises(RollbackRefusedError, match="runs cannot go on under the older combo") as no:
        rolling.propose(release)
    assert "schema" in str(no.value)
    rollback = rolling.start(release, forward_only="wait")
    assert rollback.runs.get(run=run).kind == phases.FORWARD_ONLY
    rollback = rolling.carry(rollback)
    assert (rollback.phase, rollback.runs.get().ended) == (phases.CLOSED, phases.WAITS)
    run.refresh_from_db()
    assert (run.status, run.reason, run.combo) == ("waiting", "for_stop", rolling.traffic.candidate)


def test_a_run_is_in_one_unfinished_plan(rolling: Rolling) -> None:
    release = rolling.canary()
    run, other = rolling.run(), rolling.run()
    grant(rolling.traffic.tenant, rolling.traffic.ada, "operate_runs")
    rollback = rolling.propose(release)
    draft = Draft("cancel", "nonsense", "two runs", [Target(run.pk), Target(other.pk)])
    plan = drafting.draft(rolling.traffic.tenant, draft, user=rolling.traffic.ada)
    assert (plan.left_out, plan.planned) == (2, 0)
    assert f"In rollback {rollback}" in plan.items.get(run=run).sentence
    proposing.withdraw(rollback.pk, user=rolling.traffic.ada)
    plan = drafting.draft(rolling.traffic.tenant, draft, user=rolling.traffic.ada)
    assert plan.planned == 2
    rollback = rolling.propose(release)
    with pytest.raises(RollbackRefusedError, match=f"plan {plan} by"):
        ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    plans.discard(plan.pk, plans.Order(plan.digest), user=rolling.traffic.ada)
    assert Plan.objects.get(pk=plan.pk).state == "discarded"
    ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    assert rollback.runs.filter(holds=True).count() == 2


def test_a_run_that_came_since_and_only_goes_forward_waits_for_a_choice(rolling: Rolling) -> None:
    release = rolling.canary(stable=older(0))
    rollback = rolling.propose(release)
    run = rolling.asking()
    with pytest.raises(RollbackRefusedError, match="cannot go on under the older combo"):
        ordering.start(rollback.pk, rollback.digest, user=rolling.traffic.ada)
    holding.take_in(rollback)
    assert (rollback.runs.get(run=run).kind, rollback.runs.get(run=run).choice) == (
        phases.FORWARD_ONLY,
        "",
    )
