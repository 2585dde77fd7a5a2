"""A step up is made on exactly the evidence that was shown, by who manages releases; down leads always."""

from dataclasses import replace
from typing import Any

import pytest

from checkpoints import rungs
from checkpoints.models import RungStep
from checkpoints.rungs import DRY_RUN, FAKE, READ, WRITE
from releases import moving
from releases.errors import MoveChangedError, ReleaseRefusedError
from releases.gates import standing
from releases.ladder import climbing
from releases.ladder.climbing import Rung, Wanted
from releases.models import Release
from tenants.errors import Denied
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.people import bob
from tests.releases.traffic import Traffic, traffic

pytestmark = pytest.mark.django_db

TOOL = "fake.look_up"


@pytest.fixture
def here(engine: Bench) -> Traffic:
    """A candidate that names a tool."""
    return replace(traffic(engine), candidate=another("steps", "the new prompt", TOOL))


def rung(release: Release) -> Rung:
    [found] = climbing.ladder(release)
    return found


def step(here: Traffic, release: Release, to: str, **changed: Any) -> RungStep:
    shown = rung(release)
    values = {"tool": TOOL, "to": to, "why": "it is time", "digest": shown.digest} | changed
    return climbing.step(release.pk, Wanted(**values), user=here.ada)


def test_a_candidate_begins_at_the_bottom_and_stable_stays_at_the_top(here: Traffic) -> None:
    release = here.begin()
    assert rung(release).stands == FAKE
    assert rungs.of(here.tenant.pk, release.stable_id, TOOL) == WRITE


def test_a_canary_needs_every_tool_at_the_top(here: Traffic) -> None:
    release = here.move(here.begin(), standing.BEGIN)
    here.climb(to=DRY_RUN)
    with pytest.raises(ReleaseRefusedError, match="its ladder ends at “dry_run” for fake"):
        here.propose(release, standing.WIDEN, 1_000)
    here.climb()
    assert here.move(release, standing.WIDEN, 1_000).place == "canary"


def test_a_tool_stepped_down_takes_the_promotion_away(here: Traffic) -> None:
    release = here.canary()
    step(here, release, DRY_RUN)
    with pytest.raises(ReleaseRefusedError, match="its ladder ends at"):
        here.propose(release, standing.WIDEN, 2_000)


def test_a_move_that_was_shown_at_the_top_is_not_made_below_it(here: Traffic) -> None:
    release = here.canary()
    move = here.propose(release, standing.WIDEN, 2_000)
    step(here, release, READ)
    with pytest.raises(MoveChangedError):
        moving.make(move.pk, move.digest, user=here.ada)


def test_without_what_the_rung_below_shows_nobody_climbs(here: Traffic) -> None:
    release = here.begin()
    assert not rung(release).may_climb
    with pytest.raises(ReleaseRefusedError, match="does not show enough yet: contract, ended"):
        step(here, release, READ)
    with pytest.raises(ReleaseRefusedError, match="one rung at a time"):
        step(here, release, WRITE)
    assert rung(release).stands == FAKE


def test_down_leads_at_once_for_who_manages_releases(here: Traffic) -> None:
    release = here.begin()
    here.climb()
    made = step(here, release, FAKE, digest="")
    assert (made.before, made.after, bytes(made.evidence), made.made_by) == (
        WRITE,
        FAKE,
        b"",
        here.ada,
    )
    with pytest.raises(ReleaseRefusedError, match="needs a reason"):
        step(here, release, READ, why=" ")
    with pytest.raises(ReleaseRefusedError, match="no tool"):
        step(here, release, READ, tool="other")
    with pytest.raises(Denied):
        climbing.step(release.pk, Wanted(TOOL, READ, "so"), user=bob(here.tenant))


def test_the_yes_is_for_the_evidence_that_was_shown(here: Traffic) -> None:
    release = here.begin()
    with pytest.raises(MoveChangedError):
        step(here, release, READ, digest="0" * 64)
