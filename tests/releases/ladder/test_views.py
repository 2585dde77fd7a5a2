"""The page of a ladder: what each rung needs, and the one step that a button takes."""

from dataclasses import replace

import pytest

from checkpoints import rungs
from checkpoints.models import RungStep
from checkpoints.rungs import FAKE, WRITE
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.people import bob
from tests.releases.traffic import Traffic, traffic

pytestmark = pytest.mark.django_db

TOOL = "fake.look_up"


@pytest.fixture
def here(engine: Bench) -> Traffic:
    """A candidate that names a tool."""
    return replace(traffic(engine), candidate=another("steps", "the new prompt", TOOL))


def url(here: Traffic, rest: str = "") -> str:
    return f"/t/{here.tenant.slug}/releases/{here.begin().number}/ladder/{rest}"


def test_the_page_says_what_is_missing_and_offers_no_button_for_it(here: Traffic) -> None:
    page = signed_in(here.ada).get(url(here))
    said = words(page)
    assert "What the rung “read” needs" in said
    assert "Missing: 0 of its shadow runs came to their end; 3 are needed." in said
    assert "Let it read" not in said


def test_who_only_looks_is_told_who_may_and_has_no_button(here: Traffic) -> None:
    page = signed_in(bob(here.tenant)).get(url(here))
    assert "Step it down…" not in words(page)


def test_a_step_down_is_made_by_one_post_and_told(here: Traffic) -> None:
    address = url(here)
    here.climb()
    form = {"tool": TOOL, "to": FAKE, "why": "it misbehaves"}
    page = signed_in(here.ada).post(f"{address}step/", form, follow=True)
    assert f"{TOOL} stands at “fake” now." in words(page)
    assert rungs.of(here.tenant.pk, here.candidate.pk, TOOL) == FAKE
    assert "it misbehaves" in words(page)


def test_what_was_typed_stays_when_it_is_refused(here: Traffic) -> None:
    address = url(here)
    here.climb()
    before = RungStep.objects.count()
    form = {"tool": TOOL, "to": WRITE, "why": "it is good enough"}
    page = signed_in(here.ada).post(f"{address}step/", form)
    assert page.status_code == 422
    assert "one rung at a time" in words(page)
    assert b"it is good enough" in page.content
    assert RungStep.objects.count() == before
