"""The page of doors, and the one line of each closed door on Home and System."""

import pytest
from django.urls import reverse

from reconciliation.doors import moving
from reconciliation.doors.models import Door
from tenants import access
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, signed_in, words
from tests.people import eve, make_tenant
from tests.reconciliation.doors.silence import door, shut

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(engine: Bench) -> str:
    access.grant(engine.tenant, engine.starter, "operate_runs")
    return reverse("reconciliation:doors", args=[engine.tenant.slug])


def test_a_closed_door_is_one_line_on_each_page(engine: Bench, address: str) -> None:
    client = signed_in(engine.starter)
    assert "Every door is open" in words(client.get(address))
    assert "closed door" not in words(client.get(at(engine)))
    shut(engine)
    engine.start(tool="fake.void", what="b")
    engine.turn()
    for page in (address, at(engine), reverse("system")):
        said = words(client.get(page))
        assert "fake.void : closed since" in said
        assert "five calls in a row without an answer · next probe" in said
        assert "1 run waits" in said


def test_who_operates_runs_closes_and_opens_by_hand_with_a_reason(
    engine: Bench, address: str
) -> None:
    client = signed_in(engine.starter)
    posted = {"tool": "fake.void", "move": "close", "reason": "they migrate"}
    page = client.post(address, posted, follow=True)
    assert "by Ada: they migrate · until a person opens it" in words(page)
    assert door(engine).by_hand
    page = client.post(address, {**posted, "move": "open", "reason": "done"}, follow=True)
    assert "Every door is open" in words(page)
    assert "opened" in words(page)


@pytest.mark.parametrize("wrong", [{"reason": ""}, {"move": "slam"}, {"tool": ""}])
@pytest.mark.parametrize("move", ["close", "open"])
def test_what_is_not_said_moves_nothing(
    engine: Bench, address: str, wrong: dict[str, str], move: str
) -> None:
    posted = {"tool": "fake.void", "move": move, "reason": "x", **wrong}
    assert signed_in(engine.starter).post(address, posted).status_code == 422
    assert not Door.objects.exists()


def test_who_only_looks_sees_no_form_and_moves_nothing(engine: Bench, address: str) -> None:
    shut(engine)
    viewer = eve(engine.tenant)
    access.revoke(engine.tenant, viewer, "operate_runs")
    client = signed_in(viewer)
    assert "Open it" not in words(client.get(address))
    posted = {"tool": "fake.void", "move": "open", "reason": "x"}
    assert client.post(address, posted).status_code == 403
    assert door(engine).is_closed


def test_another_tenants_doors_are_nobodys(engine: Bench, address: str) -> None:
    shut(engine)
    stranger = eve(make_tenant("other"))
    client = signed_in(stranger)
    assert client.get(address).status_code == 404
    assert "fake.void" not in words(client.get(reverse("system")))


def test_opening_what_is_open_is_said_and_changes_nothing(engine: Bench, address: str) -> None:
    posted = {"tool": "fake.void", "move": "open", "reason": "x"}
    assert signed_in(engine.starter).post(address, posted).status_code == 409


def test_text_of_a_tool_is_shown_and_never_markup(engine: Bench, address: str) -> None:
    shut(engine)
    Door.objects.update(said="<b>gone</b>")
    page = signed_in(engine.starter).get(address).content.decode()
    assert "<b>gone" not in page
    assert "&lt;b&gt;gone" in page


def test_whoever_is_told_of_a_door_by_hand_reads_who_closed_it(engine: Bench, address: str) -> None:
    shut(engine)
    moving.close_by_hand(engine.tenant, "fake.void", why="until noon", user=engine.starter)
    said = words(signed_in(engine.starter).get(address))
    assert "it opens when a person opens it" in said
    assert "Keep it closed" not in said
