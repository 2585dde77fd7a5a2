"""What never may have happened, done by force, is found and named."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from approvals.models import Approval
from reconciliation.models import Action, Attempt, Receipt
from releases.gates.samples import (
    AUDIT_CHAIN_BROKEN,
    CONSTRAINTS,
    EFFECT_WITHOUT_APPROVAL,
    FOREIGN_TENANT_TOUCHED,
    WIRE_DIGEST_DIFFERS,
    Constraint,
)
from releases.numbers import safety
from releases.numbers.audit import Ends
from tenants import chain
from tenants.models import AuditHead, AuditRow, AuditSeal
from tenants.trail import heads
from tests.checkpoints.records import by_force
from tests.people import make_tenant
from tests.releases.numbers.conftest import World

pytestmark = pytest.mark.django_db


def broken(world: World) -> dict[str, Constraint]:
    """What is broken of the candidate's constraints."""
    found = safety.constraints(world.bench.tenant, world.candidate, world.subject.since)
    assert tuple(each.name for each in found) == CONSTRAINTS
    return {each.name: each for each in found if each.broken != 0}


def test_an_effect_done_as_it_should_be_breaks_nothing(world: World) -> None:
    world.effect()
    chain.seal()
    heads.sign_due(after=timedelta())
    assert broken(world) == {}


def test_an_effect_whose_approval_is_not_used_is_found(world: World) -> None:
    run = world.effect()
    with by_force(("approvals_approval", "an_approval_is_used_iff_an_attempt_used_it")):
        Approval.objects.filter(request__run=run).update(state="unused")
    attempt = Attempt.objects.get(action__run=run)
    assert broken(world) == {
        EFFECT_WITHOUT_APPROVAL: Constraint(EFFECT_WITHOUT_APPROVAL, 1, (str(attempt.pk),))
    }


def test_an_effect_under_another_hash_is_found(world: World) -> None:
    run = world.effect()
    with by_force():
        Attempt.objects.filter(action__run=run).update(action_hash="0" * 64)
    assert set(broken(world)) == {EFFECT_WITHOUT_APPROVAL}


def test_other_bytes_on_the_wire_are_found(world: World) -> None:
    run = world.effect()
    with by_force():
        Receipt.objects.filter(action__run=run).update(wire_digest="0" * 64)
    assert set(broken(world)) == {WIRE_DIGEST_DIFFERS}


def test_it_stays_the_candidate_s_when_its_run_was_moved(world: World) -> None:
    run = world.effect()
    with by_force():
        Receipt.objects.filter(action__run=run).update(wire_digest="0" * 64)
    world.move(run)
    assert set(broken(world)) == {WIRE_DIGEST_DIFFERS}
    of_stable = safety.constraints(world.bench.tenant, world.stable, world.subject.since)
    assert not any(each.broken for each in of_stable)


def test_what_was_before_is_not_held_against_it(world: World) -> None:
    run = world.effect()
    with by_force():
        Receipt.objects.filter(action__run=run).update(wire_digest="0" * 64)
    later = safety.constraints(world.bench.tenant, world.candidate, timezone.now())
    assert not any(each.broken for each in later)


def test_another_tenant_s_action_in_a_run_is_found(world: World) -> None:
    run = world.effect()
    with by_force():
        Action.objects.filter(run=run).update(tenant=make_tenant("globex"))
    assert broken(world)[FOREIGN_TENANT_TOUCHED].examples == (str(run.pk),)


def test_a_changed_row_a_lost_one_and_a_cut_chain_are_found(world: World) -> None:
    world.effect()
    chain.seal()
    heads.sign_due(after=timedelta())
    last = AuditSeal.objects.filter(tenant=world.bench.tenant).order_by("-position")[0]
    with by_force():
        AuditRow.objects.filter(pk=last.row_id).update(subject="another")
    assert broken(world)[AUDIT_CHAIN_BROKEN].examples == (str(last.position),)
    with by_force():
        AuditSeal.objects.filter(pk=last.pk).delete()
    # The head stands where no link is any more, and its row is neither sealed nor waiting.
    assert broken(world)[AUDIT_CHAIN_BROKEN].broken == 2


def test_in_one_round_the_end_of_a_tenants_chain_is_read_once(
    world: World, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    world.effect()
    chain.seal()
    last = AuditSeal.objects.filter(tenant=world.bench.tenant).latest("position")
    with by_force():
        AuditRow.objects.filter(pk=last.row_id).update(subject="another")
    ends = Ends()
    found = ends.problems(world.bench.tenant)
    assert [each.position for each in found] == [last.position]
    with django_assert_num_queries(0):
        assert ends.problems(world.bench.tenant) == found
    assert ends.problems(make_tenant("other")) == []


def test_a_head_of_a_chain_computed_anew_is_found(world: World) -> None:
    world.effect()
    chain.seal()
    heads.sign_due(after=timedelta())
    with by_force():
        AuditHead.objects.filter(tenant=world.bench.tenant).update(digest=b"0" * 32)
    assert set(broken(world)) == {AUDIT_CHAIN_BROKEN}


def test_what_cannot_be_read_is_not_taken_to_hold(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "OTHER_BYTES", "SELECT 1 / 0")
    assert broken(world) == {WIRE_DIGEST_DIFFERS: Constraint(WIRE_DIGEST_DIFFERS, None)}
