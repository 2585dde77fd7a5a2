"""One tenant per page: from the slug in the URL to the tenant, or to the right refusal."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from tenants import access, wall
from tenants.errors import Denied
from tenants.models import Tenant, User

P = ParamSpec("P")


class TenantRequest(HttpRequest):
    """A request of a signed-in person to a page of one tenant, after `tenant_for`."""

    user: User
    tenant: Tenant
    access: access.Access


def access_of(request: HttpRequest) -> access.Access:
    """What the person of this request may do; asked once per request, kept as `request.access`.

    From then on PostgreSQL shows the rows of this person's tenants.
    """
    return _access(request, "")


def show_all(request: HttpRequest) -> None:
    """On a page of one tenant: show the rows of all tenants of the person, for what is everywhere."""
    rights = access_of(request).rights
    wall.show(rights.keys(), rights.keys())


def tenant_for(request: HttpRequest, slug: str, permission: str) -> Tenant:
    """The tenant with this slug, if the person has this right there; kept as `request.tenant`.

    Raises Http404 when they have no right there at all, exactly as if there were no such tenant:
    a stranger learns nothing. Raises Denied (a PermissionDenied) when they see it but lack this right.
    From then on PostgreSQL shows the rows of this tenant only.
    """
    rights = _access(request, slug)
    tenant_id = _id_of(rights, slug)
    if tenant_id is None:
        raise Http404(_("There is no such page, or it is not yours to see."))
    if not rights.may(tenant_id, permission):
        raise Denied(tenant_id, permission)
    tenant = Tenant.objects.get(pk=tenant_id)
    cast(TenantRequest, request).tenant = tenant
    return tenant


def tenant_page(
    permission: str,
) -> Callable[
    [Callable[Concatenate[TenantRequest, Tenant, P], HttpResponseBase]],
    Callable[..., HttpResponseBase],
]:
    """For views `view(request, tenant, …)`: resolves the URL's `tenant` slug with `tenant_for`."""

    def decorate(
        view: Callable[Concatenate[TenantRequest, Tenant, P], HttpResponseBase],
    ) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def page(
            request: HttpRequest, tenant: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            found = tenant_for(request, tenant, permission)
            return view(cast(TenantRequest, request), found, *args, **kwargs)

        return page

    return decorate


def _access(request: HttpRequest, slug: str) -> access.Access:
    known = getattr(request, "access", None)
    fresh = known is None or known.user_id != request.user.pk
    if fresh:
        known = access.of(cast(User, request.user))
        cast(TenantRequest, request).access = known
    rights = cast(access.Access, known)
    only = _id_of(rights, slug)
    if only is not None:
        wall.show([only], rights.rights)
    elif fresh and rights.rights:
        wall.show(rights.rights, rights.rights)
    return rights


def _id_of(rights: access.Access, slug: str) -> int | None:
    return next((id_ for id_, known in rights.slugs.items() if known == slug), None)
