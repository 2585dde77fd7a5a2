"""The pages of shadows: what disagrees, by kind, and both runs of a twin beside each other."""

import pytest
from django.db import DatabaseError
from django.db.transaction import atomic
from django.test import Client
from django.urls import reverse

from checkpoints.models import ShadowDryRun, Twin
from releases.models import Release
from releases.shadows import keeping, starting
from releases.shadows.models import Compared
from tenants.access import grant
from tests.engine.turns import Bench
from tests.people import ada
from tests.releases.shadows.beside import Stage, released, stage
from tests.releases.traffic import Traffic
from tests.wall.role import answering_as_web, as_web


@pytest.fixture
def client(engine: Bench) -> Client:
    person = ada(engine.tenant)
    grant(engine.tenant, person, "view_runs")
    client = Client()
    client.force_login(person)
    return client


def compared(made: Stage) -> Compared:
    live = made.live(what="<b>a</b>")
    starting.start_due()
    made.bench.turn()
    if not keeping.keep_due():
        made.allow(live)
        made.go_on(Twin.objects.get().run)
        keeping.keep_due()
    return Compared.objects.get()


def page(client: Client, release: Release, query: str = "") -> str:
    slug = release.tenant.slug
    answer = client.get(reverse("shadows", args=[slug, release.number]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_page_without_twins_says_what_has_to_be(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, releases: Traffic, client: Client
) -> None:
    release = released(releases, stage(engine, monkeypatch))
    assert "No twin has been compared yet" in page(client, release)


def test_disagreements_stand_by_kind_with_links_to_both(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, releases: Traffic, client: Client
) -> None:
    made = stage(engine, monkeypatch, says="other")
    release = released(releases, made)
    kept = compared(made)
    said = page(client, release)
    slug = release.tenant.slug
    assert "1 twin: 1 different effect." in said
    assert "1 of 1 effects diverge" in said
    assert reverse("shadow_twin", args=[slug, release.number, kept.run_id]) in said
    assert reverse("run", args=[slug, kept.live_id]) in said
    assert "aria-current" in page(client, release, "?kind=different")
    for nobody_has in ("words", "nonsense"):
        assert "Different effect" in page(client, release, f"?kind={nobody_has}")


def test_one_twin_shows_parameters_and_dry_runs_side_by_side(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, releases: Traffic, client: Client
) -> None:
    made = stage(engine, monkeypatch, says="b<i>")
    release = released(releases, made)
    kept = compared(made)
    url = reverse("shadow_twin", args=[release.tenant.slug, release.number, kept.run_id])
    said = client.get(url).content.decode()
    assert "Same effect, different words" in said
    assert "diff-beside" in said
    assert "<b>a</b>" not in said
    assert "b&lt;i&gt;" in said
    elsewhere = reverse("shadow_twin", args=[release.tenant.slug, 99, kept.run_id])
    assert client.get(elsewhere).status_code == 404


def test_the_web_processs_user_reads_them_and_makes_none_up(
    engine: Bench,
    monkeypatch: pytest.MonkeyPatch,
    releases: Traffic,
    client: Client,
    web_user: None,
) -> None:
    made = stage(engine, monkeypatch, says="other")
    release = released(releases, made)
    kept = compared(made)
    slug = release.tenant.slug
    with answering_as_web():
        assert "1 twin: 1 different effect." in page(client, release)
        twin = client.get(reverse("shadow_twin", args=[slug, release.number, kept.run_id]))
        assert "write other" in twin.content.decode()
    for table in (Compared, Twin, ShadowDryRun):
        with as_web(), pytest.raises(DatabaseError, match="permission denied"), atomic():
            table.objects.all().delete()
