"""What the shell of every page needs: the tenant, its neighbours, what waits, what is stopped."""

from functools import partial
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from approvals import states as permission
from approvals.edits import waiting as edits
from approvals.models import ApprovalRequest, EditRequest
from checkpoints.models import Case, Stop
from execution.pages.stopping import stop_sentence
from tenants.access import Access
from tenants.models import Tenant, User
from tenants.scope import access_of

MOST = 1000


def nav(request: HttpRequest) -> dict[str, Any]:
    """`nav` for base.html. Asked for only by templates that have a shell: fragments cost nothing."""
    return {"nav": SimpleLazyObject(partial(_nav, request))}


def _nav(request: HttpRequest) -> dict[str, Any]:
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    access, tenant = access_of(request), getattr(request, "tenant", None)
    scope = [tenant.pk] if tenant else list(access.rights)
    tenants = Tenant.objects.filter(pk__in=list(access.slugs)).only("slug", "name").order_by("name")
    return {
        "tenant": tenant,
        "tenants": list(tenants[:MOST]),
        "waiting": _waiting(access, user, scope),
        "audits": tenant is not None and access.may(tenant.pk, "audit"),
        "stops": [_told(stop, tenant) for stop in _in_force(scope)],
    }


def _waiting(access: Access, user: User, scope: list[int]) -> int:
    """Open questions and edits this person may answer, and open cases; in one bounded query."""
    deciding = access.tenants("approve_actions") & set(scope)
    questions = (
        ApprovalRequest.objects.filter(tenant_id__in=deciding, state=permission.OPEN)
        .exclude(starter_id=user.pk)
        .exclude(on_behalf_of__iexact=user.email)
    )
    cases = Case.objects.filter(
        tenant_id__in=access.tenants("view_runs") & set(scope), closed_at=None, decided_at=None
    )
    written = EditRequest.objects.filter(edits.STILL_ASKED, tenant_id__in=deciding).exclude(
        Q(author_id=user.pk) | Q(on_behalf_of__iexact=user.email)
    )
    written = written.filter(Q(starter=None) | ~Q(starter_id=user.pk))
    found = [each.values("id")[:MOST] for each in (cases, written)]
    return questions.values("id")[:MOST].union(*found, all=True).count()


def _in_force(scope: list[int]) -> list[Stop]:
    mine = Q(tenant=None) | Q(tenant_id__in=scope)
    return list(
        Stop.objects.filter(mine, lifted_at=None).select_related("tenant").order_by("pk")[:20]
    )


def _told(stop: Stop, tenant: Tenant | None) -> dict[str, Any]:
    where = tenant or stop.tenant
    return {
        "sentence": stop_sentence(stop),
        "at": stop.stopped_at,
        "by": stop.stopped_by,
        "reason": stop.why,
        "url": f"{reverse('stop', args=[where.slug])}#stop-{stop.pk}" if where else "",
    }
