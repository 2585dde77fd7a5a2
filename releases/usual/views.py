"""The page of a tenant's own policy: what holds, who said it, what another one would change."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from releases.beginning import RIGHT
from releases.errors import PolicyMovedError, PolicyProofNeededError, ReleaseRefusedError
from releases.usual import reading, saying, showing
from releases.usual.forms import PolicyForm, SayForm, read, typed
from releases.usual.saying import Wanted
from releases.usual.showing import Asked
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page
from tenants.signin import confirming, proofs

SHOW, SAY, TAKE_BACK = "show", "say", "take_back"


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def release_policy(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """Of all tasks of the tenant. GET tells it; POST shows what another changes, or says it."""
    return _answer(request, tenant, reading.ALL)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def task_policy(request: TenantRequest, tenant: Tenant, task_type: str) -> HttpResponseBase:
    """The same of one task."""
    if not showing.is_known(tenant, task_type):
        raise Http404("nothing of that name is released here")
    return _answer(request, tenant, task_type)


def _answer(request: TenantRequest, tenant: Tenant, task_type: str) -> HttpResponseBase:
    if request.method != "POST":
        return _page(request, tenant, task_type, _kept(request, tenant, task_type))
    tenant_for(request, tenant.slug, RIGHT)
    step = request.POST.get("step", SHOW)
    if step == SAY:
        return _say(request, tenant, task_type)
    if step == TAKE_BACK:
        return _page(request, tenant, task_type, Asked(shows=True))
    form = PolicyForm(request.POST)
    if not form.is_valid():
        return _page(request, tenant, task_type, Asked(form), status=422)
    return _page(request, tenant, task_type, Asked(form, wanted=form.policy(), shows=True))


def _say(request: TenantRequest, tenant: Tenant, task_type: str) -> HttpResponseBase:
    form = SayForm(request.POST)
    if not form.is_valid():
        return _refused(request, tenant, task_type, form)
    given = form.cleaned_data
    policy = read(given["wanted"])
    wanted = Wanted(
        task_type, None if policy is None else policy.as_json(), given["why"], given["seen"]
    )
    actor = Actor.person(request.user, proofs.latest(request))
    try:
        saying.say(tenant, wanted, user=request.user, actor=actor)
    except PolicyProofNeededError:
        written = {"wanted": given["wanted"], "why": given["why"]}
        return confirming.send(request, showing.address(tenant, task_type), written=written)
    except ReleaseRefusedError as refusal:
        form.add_error(None, capfirst(str(refusal)))
        status = 409 if isinstance(refusal, PolicyMovedError) else 422
        return _refused(request, tenant, task_type, form, status=status)
    confirming.forget(request)
    messages.success(request, _("Said. Releases that begin from now on take it."))
    return redirect(showing.address(tenant, task_type))


def _refused(
    request: TenantRequest, tenant: Tenant, task_type: str, form: SayForm, status: int = 422
) -> HttpResponseBase:
    """What was typed stays, beside what is wrong; the change is shown as it would be by now."""
    asked = _shown_again(form.data.get("wanted", ""), form)
    return _page(request, tenant, task_type, asked, status=status)


def _kept(request: TenantRequest, tenant: Tenant, task_type: str) -> Asked:
    """What was shown before somebody was led away to confirm that it is them."""
    draft = confirming.draft(request, showing.address(tenant, task_type))
    if not draft:
        return Asked()
    return _shown_again(draft["wanted"], SayForm(initial={"why": draft["why"]}))


def _shown_again(text: str, say: SayForm) -> Asked:
    try:
        wanted = read(text)
    except ValidationError:
        return Asked(say=say)
    form = None if wanted is None else PolicyForm(initial=typed(wanted))
    return Asked(form, wanted=wanted, shows=True, say=say)


def _page(
    request: TenantRequest, tenant: Tenant, task_type: str, asked: Asked, status: int = 200
) -> HttpResponseBase:
    context = showing.context(request, tenant, task_type, asked)
    return render(request, "releases/usual/policy.html", context, status=status)
