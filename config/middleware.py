"""Domain errors become answers people can use: one table, so that views only call one verb."""

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from approvals.errors import ApprovalError, NotPermittedError, ReasonMissingError
from checkpoints.errors import (
    InputRefusedError,
    RecordError,
    StopRefusedError,
    UnknownTaskTypeError,
)
from reconciliation.errors import CredentialRefusedError, VerdictRefusedError, WorldError
from tenants import access
from tenants.errors import Denied
from tenants.keys.errors import KeysError
from tenants.models import Tenant


@dataclass(frozen=True)
class Answer:
    """What a refused request is told: the status, what happened, why, and what now."""

    status: int
    title: str
    text: str
    more: dict[str, Any] = field(default_factory=dict)


class DomainErrors:
    """Turns an error of ours that no view answered into a page, or for htmx into a fragment.

    Stands before `DenialsAreAudited` in the list, so that denials are written down first.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OperationalError | InterfaceError):
            # Rendered without the request: a person, a tenant, a count would ask the database.
            return HttpResponse(render_to_string("503.html"), status=503)
        answer = answer_to(exception)
        if answer is None:
            return None
        if isinstance(exception, Denied):
            # The person sees this tenant, so the page may stay among its pages.
            request.tenant = Tenant.objects.get(pk=exception.tenant_id)  # type: ignore[attr-defined]
        template = "components/problem.html" if _wants_fragment(request) else "refused.html"
        context = {"title": answer.title, "text": answer.text, **answer.more}
        return render(request, template, context, status=answer.status)


def answer_to(exception: Exception) -> Answer | None:
    """The answer to an error; None for one that is no refusal but a fault of ours."""
    if isinstance(exception, Http404 | ObjectDoesNotExist):
        return Answer(404, _("Not found"), _("There is no such page, or it is not yours to see."))
    if isinstance(exception, Denied):
        return _denied(exception)
    if isinstance(exception, NotPermittedError):
        return Answer(403, _("You may not do this"), sentence_of(exception))
    if isinstance(exception, StopRefusedError):
        return Answer(403, _("You may not do this"), str(exception))
    if isinstance(exception, PermissionDenied):
        return Answer(403, _("You may not do this"), str(exception) or _("Nothing was changed."))
    if isinstance(
        exception,
        InputRefusedError
        | UnknownTaskTypeError
        | ReasonMissingError
        | VerdictRefusedError
        | CredentialRefusedError,
    ):
        return Answer(422, _("This cannot be accepted"), said(exception))
    if isinstance(exception, RecordError | WorldError | ApprovalError | KeysError):
        return Answer(409, _("This cannot be done now"), said(exception))
    return None


def said(exception: Exception) -> str:
    """The operator's sentence of an error's class, then what happened this time."""
    told = sentence_of(exception)
    if isinstance(exception, ApprovalError):
        return told  # its text carries ids and codes, for logs
    this_time = str(exception).strip()
    return f"{told} {this_time[:1].upper()}{this_time[1:]}" if this_time else told


def sentence_of(exception: Exception) -> str:
    """The first paragraph of the class's docstring, on one line."""
    return " ".join((getdoc(type(exception)) or "").split("\n\n")[0].split())


def _denied(denied: Denied) -> Answer:
    tenant = Tenant.objects.get(pk=denied.tenant_id)
    names = dict(Tenant._meta.permissions)
    right = names.get(denied.permission, denied.permission)
    people = ", ".join(str(user) for user in access.holders(tenant, "manage_tenant")[:5])
    text = _("At %(tenant)s you lack the right: %(right)s. Nothing was changed.") % {
        "tenant": tenant.name,
        "right": right,
    }
    asked = _("%(people)s can give it to you.") % {"people": people} if people else ""
    return Answer(403, _("You may not do this"), f"{text} {asked}".strip())


def _wants_fragment(request: HttpRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")
