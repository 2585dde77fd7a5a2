"""The door of every page: a page asks for a sign-in and comes back, an ended sign-in says so."""

import pytest
from django.test import Client
from pytest_django import Settings

from tenants.models import AuditRow
from tests.people import ada, bob, cy, make_tenant

pytestmark = pytest.mark.django_db
PAGE = "/t/acme/decision/"
REASON = "The diff is only about <imports>."


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.tenants.pages"


def test_a_page_sends_to_sign_in_and_back(client: Client) -> None:
    response = client.get(PAGE, {"tab": "2"})
    assert response.status_code == 302
    assert response.headers["Location"] == "/sign-in/?next=/t/acme/decision/%3Ftab%3D2"


def test_a_signed_in_person_gets_the_page(client: Client) -> None:
    client.force_login(ada(make_tenant()))
    assert client.get(PAGE).content == b"decided at acme"


def test_a_decision_after_the_sign_in_ended_says_that_nothing_was_done(client: Client) -> None:
    response = client.post(
        PAGE,
        {"reason": REASON, "hash": "ab12cd34"},
        headers={"Referer": f"http://testserver{PAGE}?tab=2"},
    )
    text = response.content.decode()
    assert response.status_code == 401
    assert "Nothing was done and nothing was decided." in text
    assert 'href="/sign-in/?next=%2Ft%2Facme%2Fdecision%2F%3Ftab%3D2"' in text
    assert "The diff is only about &lt;imports&gt;." in text
    assert "ab12cd34" not in text


@pytest.mark.parametrize("referer", ["https://evil.example/x", "", "javascript:x"])
def test_the_way_back_never_leaves_this_site(client: Client, referer: str) -> None:
    response = client.post(PAGE, headers={"Referer": referer})
    assert 'href="/sign-in/?next=%2F"' in response.content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_fragment_shows_the_end_in_place_and_stops_polling(client: Client, method: str) -> None:
    response = getattr(client, method)(
        PAGE, headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/t/acme/?q=1"}
    )
    assert response.status_code == 286
    assert response.headers["HX-Reswap"] == "afterbegin"
    assert "<html" not in response.content.decode()
    assert 'href="/sign-in/?next=%2Ft%2Facme%2F%3Fq%3D1"' in response.content.decode()


def test_a_boosted_link_goes_to_sign_in(client: Client) -> None:
    response = client.get(PAGE, headers={"HX-Request": "true", "HX-Boosted": "true"})
    assert response.headers["HX-Redirect"] == f"/sign-in/?next={PAGE}"


def test_a_denial_is_audited_and_a_visit_is_not(client: Client) -> None:
    acme = make_tenant()
    user = bob(acme)
    client.force_login(user)
    assert client.post(PAGE).status_code == 403
    row = AuditRow.objects.get()
    assert (row.tenant, row.actor_id, row.verb) == (acme, str(user.pk), "refused_approve_actions")
    assert (row.subject, row.detail) == (PAGE, {"method": "POST"})
    client.force_login(ada(acme))
    assert client.get(PAGE).status_code == 200
    assert AuditRow.objects.count() == 1


def test_a_stranger_gets_404_as_for_a_tenant_that_is_not_there(client: Client) -> None:
    make_tenant("acme")
    client.force_login(cy())
    assert client.get(PAGE).status_code == 404
    assert client.get("/t/no-such/decision/").status_code == 404
    assert not AuditRow.objects.exists()
