"""Domain errors as answers: the right status, a sentence, a page or a fragment."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from pytest_django import Settings

from approvals.errors import AlreadyDecidedError, NotPermittedError, ReasonMissingError
from checkpoints.errors import IllegalMoveError, InputRefusedError, StoppedError
from checkpoints.models import Run
from config import urls
from reconciliation.errors import VerdictRefusedError, WorldError
from tenants.errors import Denied
from tenants.models import AuditRow, Tenant
from tests.people import bob, make_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def _denied() -> Denied:
    return Denied(Tenant.objects.get(slug="acme").pk, "operate_runs")


ERRORS: dict[str, tuple[Callable[[], Exception], int, str]] = {
    "missing": (Run.DoesNotExist, 404, "it is not yours to see"),
    "not-found": (Http404, 404, "it is not yours to see"),
    "denied": (_denied, 403, "you lack the right: Start, hold, resume and cancel runs"),
    "permission": (PermissionDenied, 403, "You may not do this"),
    "own-run": (lambda: NotPermittedError("own_run", uuid4()), 403, "You may not decide this."),
    "illegal": (lambda: IllegalMoveError("the run has ended"), 409, "The run has ended"),
    "stopped": (lambda: StoppedError("effects are stopped"), 409, "Effects are stopped"),
    "world": (lambda: WorldError("no"), 409, "The ledger refused a change."),
    "already": (
        lambda: AlreadyDecidedError(uuid4(), state="approved", by="Dee", at=None),
        409,
        "This was decided already.",
    ),
    "input": (lambda: InputRefusedError("no number at /a"), 422, "No number at /a"),
    "verdict": (lambda: VerdictRefusedError("not yet"), 422, "This verdict cannot be given now."),
    "reason": (lambda: ReasonMissingError("why"), 422, "Say why"),
    "database": (OperationalError, 503, "Nothing can be shown or decided until it does"),
}


def raising(request: HttpRequest, name: str) -> HttpResponse:
    raise ERRORS[name][0]()


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a secret detail")


urlpatterns = [path("raise/<str:name>/", raising), path("broken/", broken), *urls.urlpatterns]


@pytest.fixture
def viewer() -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(bob(make_tenant()))
    return client


def said(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_becomes_a_page_that_says_what_happened(viewer: Client, name: str) -> None:
    _, status, sentence = ERRORS[name]
    answer = viewer.get(f"/raise/{name}/")
    assert answer.status_code == status
    assert sentence in said(answer)
    assert "<html" in said(answer)


@pytest.mark.parametrize("name", [name for name in ERRORS if name != "database"])
def test_for_htmx_it_is_a_fragment(viewer: Client, name: str) -> None:
    _, status, sentence = ERRORS[name]
    answer = viewer.get(f"/raise/{name}/", headers={"HX-Request": "true"})
    assert answer.status_code == status
    assert sentence in said(answer)
    assert "<html" not in said(answer)
    boosted = viewer.get(f"/raise/{name}/", headers={"HX-Request": "true", "HX-Boosted": "true"})
    assert "<html" in said(boosted)


def test_a_denial_is_still_audited_and_names_who_can_help(viewer: Client) -> None:
    answer = viewer.get("/raise/denied/")
    assert "/t/acme/runs/" in said(answer)
    assert AuditRow.objects.filter(verb="refused_operate_runs").count() == 1


def test_a_fault_of_ours_shows_no_detail(viewer: Client) -> None:
    answer = viewer.get("/broken/")
    assert answer.status_code == 500
    assert "Kedge made a mistake" in said(answer)
    assert "secret detail" not in said(answer)


def test_ids_and_codes_of_permission_errors_stay_in_the_logs(viewer: Client) -> None:
    answer = viewer.get("/raise/own-run/")
    assert "own_run" not in said(answer)


def test_denials_are_audited_before_they_become_pages(settings: Settings) -> None:
    assert settings.MIDDLEWARE[-2:] == [
        "config.middleware.DomainErrors",
        "tenants.signin.middleware.DenialsAreAudited",
    ]
