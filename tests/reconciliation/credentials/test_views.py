"""The page of credentials: everybody of the tenant sees them, who manages it notes them."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from reconciliation.credentials.models import Credential
from tenants.access import grant
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.people import bob, cy, make_tenant
from tests.reconciliation.credentials.test_keeping import NOTED, note
from tests.secrecy.conftest import careless, engine

__all__ = ["careless", "engine"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def address(careless: Bench) -> str:
    return reverse("reconciliation:credentials", args=[careless.tenant.slug])


def posted(bench: Bench, **changes: object) -> dict[str, object]:
    return {
        "tool": "careless",
        "acting_identity": NOTED.acting_identity,
        "kept_at": NOTED.kept_at,
        "version": "3",
        "expires_at": "",
        "owner": bench.starter.pk,
        **changes,
    }


def test_who_manages_the_tenant_notes_one(careless: Bench, address: str) -> None:
    grant(careless.tenant, careless.starter, "manage_tenant")
    client = signed_in(careless.starter)
    assert "No credential is noted yet" in words(client.get(address))
    assert "Nothing is noted of: careless" in words(client.get(address))
    page = client.post(address, posted(careless), follow=True)
    assert "not checked yet" in words(page)
    assert Credential.objects.get().tenant == careless.tenant
    assert 'value="env:CARELESS_TOKEN"' in client.get(f"{address}?tool=careless").content.decode()


@pytest.mark.parametrize("wrong", [{"kept_at": "hunter2"}, {"owner": ""}, {"tool": "another"}])
def test_what_is_wrong_is_said_beside_it(
    careless: Bench, address: str, wrong: dict[str, object]
) -> None:
    grant(careless.tenant, careless.starter, "manage_tenant")
    page = signed_in(careless.starter).post(address, posted(careless, **wrong))
    assert page.status_code == 422
    assert not Credential.objects.exists()


def test_others_see_and_cannot_note(careless: Bench, address: str) -> None:
    grant(careless.tenant, careless.starter, "manage_tenant")
    note(careless)
    watcher = signed_in(bob(careless.tenant))
    assert "robot@example.org" in words(watcher.get(address))
    assert "Note a credential" not in words(watcher.get(address))
    assert watcher.post(address, posted(careless)).status_code == 403
    assert signed_in(cy()).get(address).status_code == 404
    other = make_tenant("elsewhere")
    elsewhere = signed_in(bob(other)).get(reverse("reconciliation:credentials", args=[other.slug]))
    assert "robot@example.org" not in words(elsewhere)


def test_what_expires_soon_is_said_first(careless: Bench, address: str) -> None:
    grant(careless.tenant, careless.starter, "manage_tenant")
    note(careless)
    Credential.objects.update(expires_at=timezone.now() + timedelta(days=3))
    assert "1 credential expires soon" in words(signed_in(careless.starter).get(address))
