"""Bearer credentials, keys and tokens are refused on every route before a person or right is read."""

import uuid
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from tenants.models import AuditRow, RefusalCount
from tests.people import ada, make_tenant

pytestmark = pytest.mark.django_db

SAMPLES = {
    "slug": "acme",
    "uuid": str(uuid.UUID(int=1)),
    "int": "1",
    "str": "x",
    "path": "x",
    "digest": "0" * 64,
}
HEADERS = [
    {"Authorization": "Bearer abc"},
    {"Authorization": "Basic YTpi"},
    {"X-Api-Key": "abc"},
    {"X-Auth-Token": "abc"},
]


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    """One address for every route there is."""
    for entry in resolver.url_patterns:
        own = str(entry.pattern)
        for name, converter in entry.pattern.converters.items():
            kind = type(converter).__name__.removesuffix("Converter").lower()
            value = {"integer": "1", "string": "x"}.get(kind) or SAMPLES[kind]
            own = own.replace(f"<{kind}:{name}>", value)
            own = own.replace(f"<int:{name}>", value).replace(f"<str:{name}>", value)
            own = own.replace(f"<{name}>", value)
        if isinstance(entry, URLPattern):
            yield before + own
        else:
            yield from addresses(entry, before + own)


@pytest.mark.parametrize("method", ["get", "head", "post"])
def test_no_route_takes_a_credential_not_even_beside_a_session(method: str) -> None:
    client = Client()
    client.force_login(ada(make_tenant()))
    routes = list(addresses(get_resolver()))
    assert len(routes) > 30
    for address in routes:
        answer = getattr(client, method)(address, headers=HEADERS[0])
        assert answer.status_code == 403, address


@pytest.mark.parametrize("headers", HEADERS, ids=str)
def test_it_is_refused_before_session_person_and_rights_are_read(headers: dict[str, str]) -> None:
    client = Client()
    client.force_login(ada(make_tenant()))
    with CaptureQueriesContext(connection) as asked:
        answer = client.get("/t/acme/", headers=headers)
    assert answer.status_code == 403
    assert "abc" not in answer.content.decode()
    told = " ".join(query["sql"] for query in asked.captured_queries)
    for table in ("django_session", "tenants_user", "objectpermission"):
        assert table not in told


def test_the_attempt_is_on_record_without_the_credential() -> None:
    Client().get("/t/acme/", headers={"Authorization": "Bearer sesame"})
    row = AuditRow.objects.get(verb="refused_use_credential")
    assert (row.tenant, row.actor_kind, row.subject) == (None, "stranger", "/t/acme/")
    assert "sesame" not in str(row.detail)


def test_many_attempts_are_counted_not_kept() -> None:
    for _ in range(20):
        Client().get("/", headers={"Authorization": "Bearer x"})
    assert AuditRow.objects.filter(verb="refused_use_credential").count() == 5
    assert RefusalCount.objects.filter(actor_id="127.0.0.1").get().attempts == 20
