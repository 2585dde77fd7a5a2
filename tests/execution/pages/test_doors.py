"""Who gets through which door: every address, asked by everybody it is not for."""

from uuid import uuid4

import pytest
from django.test import Client

from checkpoints.models import Run
from checkpoints.stops import stop
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, page_of, signed_in
from tests.people import ada, bob, cy, make_tenant

VIEWED = [
    "",
    "runs/",
    "runs/new/",
    "runs/visible/",
    "search/?q=x",
    "stop/",
    "runs/{run}/",
    "runs/{run}/standing/",
    "runs/{run}/timeline/",
    "runs/{run}/checkpoints/",
    "runs/{run}/checkpoints/1/",
    "runs/{run}/log/",
]
READ = ["runs/{run}/difference/?old=0&new=1"]
OPERATED = ["runs/start/", "runs/{run}/cancellation/"]


@pytest.fixture
def run(engine: Bench) -> Run:
    made = engine.start(steps=2, tool="fake.void", what="a")
    engine.turn()
    return made


@pytest.mark.parametrize("rest", VIEWED + READ + OPERATED)
def test_a_stranger_cannot_tell_a_page_from_none(engine: Bench, run: Run, rest: str) -> None:
    stranger, url = signed_in(cy()), at(engine, rest.format(run=run.id))
    assert stranger.get(url).status_code == 404
    assert stranger.post(url, {"reason": "x", "lock": "effects"}).status_code in (404, 405)


@pytest.mark.parametrize("rest", VIEWED + READ + OPERATED)
def test_nobody_signed_in_is_sent_to_sign_in(engine: Bench, run: Run, rest: str) -> None:
    answer = Client().get(at(engine, rest.format(run=run.id)))
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("rest", VIEWED)
def test_a_viewer_sees_every_page_that_shows_no_payload(engine: Bench, run: Run, rest: str) -> None:
    answer = signed_in(bob(engine.tenant)).get(at(engine, rest.format(run=run.id)))
    assert answer.status_code in (200, 286)  # 286: a poll that need not ask again


@pytest.mark.parametrize("rest", READ + OPERATED)
def test_a_viewer_without_the_right_is_told_which_one(engine: Bench, run: Run, rest: str) -> None:
    answer = signed_in(bob(engine.tenant)).get(at(engine, rest.format(run=run.id)))
    assert answer.status_code == 403
    assert "you lack the right" in answer.content.decode()
    assert AuditRow.objects.filter(verb__startswith="refused_").exists()


@pytest.mark.parametrize("rest", ["stop/", "runs/start/", "runs/{run}/cancellation/"])
def test_a_viewer_changes_nothing(engine: Bench, run: Run, rest: str) -> None:
    url = at(engine, rest.format(run=run.id))
    answer = signed_in(bob(engine.tenant)).post(url, {"reason": "x", "lock": "effects"})
    assert answer.status_code == 403
    run.refresh_from_db()
    assert run.cancel_requested_at is None
    assert not AuditRow.objects.filter(verb__in=["stopped", "asked to cancel"]).exists()


def test_a_viewer_cannot_lift_a_stop(engine: Bench) -> None:
    standing = stop(engine.tenant, "effects", why="a test", actor=Actor.person(engine.starter))
    url = at(engine, f"stop/{standing.pk}/lifting/")
    assert signed_in(bob(engine.tenant)).post(url, {"reason": "x"}).status_code == 403
    assert signed_in(cy()).post(url, {"reason": "x"}).status_code == 404
    assert Client().post(url, {"reason": "x"}).status_code == 401
    calls = at(engine, f"stop/{standing.pk}/calls/")
    assert signed_in(bob(engine.tenant)).get(calls).status_code == 286
    assert signed_in(cy()).get(calls).status_code == 404
    assert Client().get(calls).status_code == 302
    standing.refresh_from_db()
    assert standing.lifted_at is None


@pytest.mark.parametrize("rest", ["", "standing/", "checkpoints/", "log/", "cancellation/"])
def test_a_run_of_another_tenant_does_not_exist(engine: Bench, run: Run, rest: str) -> None:
    elsewhere = make_tenant("elsewhere")
    person = signed_in(ada(engine.tenant, elsewhere))
    assert person.get(page_of(engine, run, rest)).status_code == 200
    assert person.get(f"/t/elsewhere/runs/{run.id}/{rest}").status_code == 404
    assert person.get(at(engine, f"runs/{uuid4()}/{rest}")).status_code == 404


def test_the_system_page_is_for_those_who_belong_somewhere(engine: Bench) -> None:
    assert signed_in(bob(engine.tenant)).get("/system/").status_code == 200
    assert signed_in(cy()).get("/system/").status_code == 404
    assert Client().get("/system/").status_code == 302
    assert Client().get("/").status_code == 302


@pytest.mark.parametrize("rest", ["runs/", "search/", "runs/{run}/", "runs/{run}/log/"])
def test_pages_that_only_show_take_no_post(engine: Bench, run: Run, rest: str) -> None:
    answer = signed_in(engine.starter).post(at(engine, rest.format(run=run.id)))
    assert answer.status_code == 405
