"""What one request was shown is never seen by the next one on the same connection."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from checkpoints.models import Run
from tenants import access, audit, wall
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.notifications.models import Notification
from tenants.scope import access_of, show_all, tenant_for
from tenants.signin.middleware import OwnTenantsOnly
from tests.approvals.questions import make_run
from tests.people import ada, bob, cy, make_tenant
from tests.wall.role import answering_as_web, as_web

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("web_user")]
View = Callable[[HttpRequest], Any]


class Broken(Exception):
    """Something that no page expects."""


@pytest.fixture
def acme() -> Tenant:
    tenant = make_tenant("acme")
    make_run(tenant)
    make_run(make_tenant("other"))
    return tenant


@pytest.fixture(autouse=True)
def connections_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the web process: the end of an answer ends no connection."""
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)


def ask(view: View, user: User | None = None) -> Any:
    """One request through the middleware, as the web process' user."""
    request = RequestFactory().get("/")
    request.user = user or cy()
    with as_web():
        return OwnTenantsOnly(view)(request)


def runs(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(Run.objects.count()))


def of_acme(request: HttpRequest) -> HttpResponse:
    tenant_for(request, "acme", "view_runs")
    return runs(request)


def setting() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('kedge.tenants', true), current_setting('kedge.known', true)"
        )
        return [value or "" for value in cursor.fetchone()]


def test_a_request_that_asks_for_no_tenant_is_shown_none(acme: Tenant) -> None:
    assert ask(runs, ada(acme)).content == b"0"


def test_a_page_of_one_tenant_is_shown_that_one_and_the_next_request_none(acme: Tenant) -> None:
    person = ada(acme, make_tenant("other"))
    assert ask(of_acme, person).content == b"1"
    assert setting() == ["", ""]
    assert ask(runs, person).content == b"0"


def test_a_page_of_no_one_tenant_is_shown_those_of_the_person(acme: Tenant) -> None:
    def across(request: HttpRequest) -> HttpResponse:
        access_of(request)
        return runs(request)

    assert ask(across, bob(acme)).content == b"1"
    assert ask(across, ada(acme, make_tenant("other"))).content == b"2"
    assert ask(across, cy()).content == b"0"


def test_what_is_everywhere_is_shown_on_the_page_of_one_too(acme: Tenant) -> None:
    def everywhere(request: HttpRequest) -> HttpResponse:
        tenant_for(request, "acme", "view_runs")
        show_all(request)
        return runs(request)

    assert ask(everywhere, ada(acme, make_tenant("other"))).content == b"2"


def test_after_a_request_that_broke_nothing_is_shown(acme: Tenant) -> None:
    def broken(request: HttpRequest) -> HttpResponse:
        tenant_for(request, "acme", "view_runs")
        raise Broken

    person = ada(acme)
    with pytest.raises(Broken):
        ask(broken, person)
    assert setting() == ["", ""]
    assert ask(runs, person).content == b"0"


def test_what_a_rolled_back_transaction_showed_is_not_left_behind(acme: Tenant) -> None:
    def rolled_back(request: HttpRequest) -> HttpResponse:
        access_of(request)
        with transaction.atomic():
            of_acme(request)
            transaction.set_rollback(True)
        return HttpResponse()

    ask(rolled_back, ada(acme))
    assert setting() == ["", ""]


def test_a_connection_that_cannot_be_cleared_is_not_used_again(acme: Tenant) -> None:
    def loses_its_connection(request: HttpRequest) -> HttpResponse:
        tenant_for(request, "acme", "view_runs")
        connection.connection.close()
        return HttpResponse()

    person, request = ada(acme), RequestFactory().get("/")
    request.user = person
    before = connection.connection
    OwnTenantsOnly(loses_its_connection)(request)
    assert setting() == ["", ""]
    assert connection.connection is not before


def test_a_thread_that_was_left_showing_something_shows_nothing_to_the_next(acme: Tenant) -> None:
    wall.show([acme.pk], [acme.pk])
    assert ask(runs, ada(acme)).content == b"0"


def test_a_streamed_answer_shows_its_own_while_it_is_sent_and_nothing_afterwards(
    acme: Tenant,
) -> None:
    def streamed(request: HttpRequest) -> StreamingHttpResponse:
        tenant_for(request, "acme", "view_runs")
        return StreamingHttpResponse(counted())

    def counted() -> Iterator[bytes]:
        yield str(Run.objects.count()).encode()
        yield b" runs"

    answer = ask(streamed, ada(acme))
    assert setting() == ["", ""]
    with as_web():
        assert b"".join(answer.streaming_content) == b"1 runs"
    assert setting() == ["", ""]


def test_a_streamed_answer_that_is_broken_off_leaves_nothing_shown(acme: Tenant) -> None:
    def streamed(request: HttpRequest) -> StreamingHttpResponse:
        tenant_for(request, "acme", "view_runs")
        return StreamingHttpResponse(iter([b"one", b"two"]))

    answer = ask(streamed, ada(acme))
    assert next(iter(answer.streaming_content)) == b"one"
    assert setting()[0] == str(acme.pk)
    answer.close()
    assert setting() == ["", ""]


def test_what_a_person_was_told_is_shown_on_their_own_page(acme: Tenant, client: Client) -> None:
    person = bob(acme)
    for tenant in (acme, make_tenant("other")):
        Notification.objects.create(
            tenant=tenant, person=person, channel="mail", kind="case", path="/", subject=tenant.slug,
            text=f"about {tenant.slug}", not_before=timezone.now(),
        )  # fmt: skip
    client.force_login(person)
    with answering_as_web():
        page = client.get(reverse("my_notifications")).content.decode()
    assert "about acme" in page
    # The person no longer belongs there.
    assert "about other" not in page


def test_the_export_of_the_trail_is_whole(acme: Tenant, client: Client) -> None:
    person = ada(acme)
    for number in range(3):
        audit.record(acme, Actor.machine("test"), "start", hiding.text(f"run:{number}"))
        audit.record(
            make_tenant("other"), Actor.machine("test"), "start", hiding.text(f"foreign:{number}")
        )
    access.grant(acme, person, "audit")
    client.force_login(person)
    with answering_as_web():
        answer = client.post(reverse("audit_export", args=["acme"]), {"format": "json"})
    told = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert told.count(b"run:") == 3
    assert b"foreign:" not in told
    assert setting() == ["", ""]
