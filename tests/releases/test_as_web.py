"""The web process' own database user can begin a release and move it; nobody else's rows are needed."""

import pytest
from django.test import Client
from pytest_django import Settings

from checkpoints.models import Override, Route
from checkpoints.registry import combo_of
from releases.models import Release
from tests.approvals.questions import make_run
from tests.engine.turns import Bench
from tests.releases.pools import newer_code, paused
from tests.releases.traffic import Traffic
from tests.wall.role import answering_as_web

pytestmark = pytest.mark.django_db


def test_a_release_is_begun_and_moved_by_the_web_processs_user(
    engine: Bench, releases: Traffic, web_user: None
) -> None:
    stable = combo_of("steps")
    for combo in (stable, releases.candidate):
        make_run(engine.tenant, task_type="steps", business_key=str(combo), combo=combo)
    client, base = Client(), f"/t/{engine.tenant.slug}/releases/"
    client.force_login(releases.ada)
    given = {"candidate": releases.candidate.hex, "stable": stable.hex, "why": "better"}
    with answering_as_web():
        assert client.post(f"{base}new/", given).status_code == 302
        assert client.post(f"{base}1/move/", {"kind": "begin", "why": "now"}).status_code == 302
        move = Release.objects.get().moves.get()
        order = {"move": str(move.pk), "digest": move.digest}
        assert client.post(f"{base}1/move/make/", order).status_code == 302
        wider = {"kind": "widen", "why": "now", "share": "12.5"}
        assert client.post(f"{base}1/move/", wider).status_code == 302
        move = Release.objects.get().moves.get(ended="")
        order = {"move": str(move.pk), "digest": move.digest}
        assert client.post(f"{base}1/move/make/", order).status_code == 302
    assert (Release.objects.get().place, Route.objects.get().share) == ("canary", 1_250)


def test_its_pages_are_made_and_keys_are_sent_by_the_web_processs_user(
    engine: Bench, releases: Traffic, settings: Settings, web_user: None
) -> None:
    waits, old = paused(engine, "large", steps=3), combo_of("steps")
    release = releases.move(releases.begin(combo=newer_code(settings), stable=old), "begin")
    releases.climb()
    releases.propose(release, "widen", 1_000)
    client, base = Client(), f"/t/{engine.tenant.slug}/releases/"
    client.force_login(releases.ada)
    keys = {"keys": "ORDER-1", "arm": "stable", "why": "they asked"}
    with answering_as_web():
        page = client.get(f"{base}1/")
        assert waits.business_key in page.content.decode()
        assert client.post(f"{base}of/steps/keys/send/", keys).status_code == 302
        sent = client.get(f"{base}of/steps/").content.decode()
        assert "ORDER-1" in sent
        assert client.get(f"{base}problems/?task=steps").status_code == 200
        [override] = Override.objects.all()
        ended = client.post(f"{base}of/steps/keys/end/", {"override": override.pk})
        assert ended.status_code == 302
    override.refresh_from_db()
    assert override.ended_at is not None
