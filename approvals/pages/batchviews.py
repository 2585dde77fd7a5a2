"""Deciding many at once: the page that lists them, the one POST, and what became of each."""

from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from approvals import batches, clock, queries, states
from approvals.batches import Answer
from approvals.models import ApprovalRequest, Batch
from approvals.models.together import MOST_IN_A_BATCH
from approvals.pages import batching
from approvals.pages.forms import BatchForm, lefts_of, pairs_of
from approvals.people import proving
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page
from tenants.signin import confirming, proofs

NOT_ACCEPTED: Final = 422


@require_safe
@tenant_page("approve_actions")
def choose(request: TenantRequest, tenant: Tenant) -> HttpResponse:
    """The questions named by `?r=` (ids, at most a hundred), with hashes and totals."""
    ids = _chosen(request)
    kept = confirming.draft(request, batching.address(tenant.slug, ids))
    context = batching.proposed(request, ids, reason=kept.get("reason", ""))
    return render(request, "approvals/batch.html", context)


@require_POST
@tenant_page("approve_actions")
def decide(request: TenantRequest, tenant: Tenant) -> HttpResponse:
    """Decide every posted pair of request and hash, each by itself."""
    if not request.access.may(tenant.pk, "read_payloads"):  # nobody decides unseen
        raise Denied(tenant.pk, "read_payloads")
    form, pairs = BatchForm(request.POST), _pairs(request)
    ids = [request_id for request_id, _shown in pairs]
    if not form.is_valid() or not 1 <= len(pairs) <= MOST_IN_A_BATCH:
        context = batching.proposed(request, ids, form)
        return render(request, "approvals/batch.html", context, status=NOT_ACCEPTED)
    given = form.cleaned_data
    actor = Actor.person(request.user, proofs.latest(request))
    if given["verdict"] == states.APPROVE and _needs_proof(tenant, ids, actor):
        page = batching.address(tenant.slug, ids)
        return confirming.send(request, page, written={"reason": given["reason"]})
    without = _lefts(request) if given["goes_without"] else {}
    answer = Answer(pairs, given["verdict"], given["reason"], given["nonce"], without)
    batch = batches.decide_all(answer, tenant=tenant, actor=actor, user=request.user)
    confirming.forget(request)
    return redirect("approvals:batch_result", tenant.slug, batch.pk)


@require_safe
@tenant_page("view_runs")
def result(request: TenantRequest, tenant: Tenant, batch_id: UUID) -> HttpResponse:
    """What became of each, for the person who decided; others see it at each question."""
    mine = Batch.objects.select_related("tenant").filter(tenant=tenant, user=request.user)
    batch = get_object_or_404(mine, pk=batch_id)
    return render(request, "approvals/batch_result.html", batching.became(batch))


def _pairs(request: TenantRequest) -> list[tuple[UUID, str]]:
    """The posted pairs; none when any of them is no pair: half a form decides nothing."""
    try:
        pairs = pairs_of(request.POST)
    except ValueError:
        return []
    return pairs if len({request_id for request_id, _shown in pairs}) == len(pairs) else []


def _lefts(request: TenantRequest) -> dict[UUID, int]:
    """What the page said is not opened; nothing when any of it is not readable."""
    try:
        return lefts_of(request.POST)
    except ValueError:
        return {}


def _chosen(request: TenantRequest) -> list[UUID]:
    found = []
    for given in request.GET.getlist("r"):
        try:
            found.append(UUID(given))
        except ValueError:
            continue
    return found


def _needs_proof(tenant: Tenant, ids: list[UUID], actor: Actor) -> bool:
    """Asked before anything is decided, so that not one half of a batch waits for a proof."""
    if actor.proof is not None and actor.proof.is_fresh(clock.now()):
        return False
    found: list[ApprovalRequest] = list(queries.light().filter(tenant=tenant, pk__in=ids))
    return any(proving.is_needed(each) for each in found if each.state == states.OPEN)
