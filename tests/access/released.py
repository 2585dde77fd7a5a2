"""What there is of releases in the world of the access tests: a release, its twin, its rollback."""

from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone

from canonical import json as canonical
from checkpoints.models import Combo, Run, Twin
from reconciliation.models import Action
from releases.beginning import Candidate, begin
from releases.models import Release
from releases.rollbacks.models import OutstandingEffect, Rollback
from tenants.models import Tenant, User


def release(tenant: Tenant, manager: User, number: int) -> Release:
    """A release of the same number, so that one sample is good for both addresses."""
    old, new = Combo.objects.filter(task_type="demo").order_by("-pk")[:2][::-1]
    wanted = Candidate(new, f"{tenant.slug} hopes", stable=old)
    release = begin(tenant, wanted, user=manager)
    assert release.number == number
    return release


def twin(release: Release) -> UUID:
    """A shadow on the candidate, beside the run of the stable combo; its combos run nowhere."""
    live = Run.objects.get(tenant=release.tenant, combo=release.stable)
    columns = Run.objects.filter(pk=live.pk).values().get()
    own = {"id": uuid4(), "mode": "shadow", "combo_id": release.candidate_id}
    run = Run.objects.create(**{**columns, **own, "effect_scope": own["id"]})
    Twin.objects.create(run=run, tenant=release.tenant, twin_of=live, series=release.pk)
    return run.pk


def rollback(release: Release, manager: User, action: Action) -> OutstandingEffect:
    """A rollback of the same number, planned, with an effect on its board."""
    made = Rollback.objects.create(
        tenant=release.tenant,
        release=release,
        number=release.number,
        from_combo=release.candidate,
        to_combo=release.stable,
        shown=canonical.dumps({"parts": ["code"]}),
        digest="0" * 64,
        why=f"{release.tenant.slug} regrets",
        proposed_by=manager,
        actor="the manager",
        expires_at=timezone.now() + timedelta(hours=1),
    )
    effect = {"tenant": release.tenant, "action": action, "state": "proposed"}
    return OutstandingEffect.objects.create(rollback=made, **effect)
