"""What a tenant said is what its releases do: by themselves, by how many people, with how many drills."""

import pytest

from canonical.redaction import ours
from releases import moving
from releases.gates import standing
from releases.looks.taking import policy_of
from releases.models import Release
from releases.rollbacks import phases, working
from releases.rollbacks.models import Rollback
from releases.shadows import starting
from releases.usual.models import UsualPolicy
from tenants.actors import Actor
from tests.people import make_tenant
from tests.releases.rollbacks.conftest import at_once, rolling
from tests.releases.rollbacks.rolling import Rolling
from tests.releases.traffic import Traffic
from tests.releases.usual.test_saying import ROLLS_BACK, TWO, USUAL, say

__all__ = ["at_once", "rolling"]
pytestmark = pytest.mark.django_db

GATES = Actor.machine("gates")
DRILLS = {"share": 10_000, "share_of_canary": 0, "drills": 3_000, "at_once": 10}


def crossed(rolling: Rolling) -> Release:
    """A canary that a gate stops, and rounds of the sweeper after it."""
    release = rolling.canary()
    rolling.run()
    assert moving.stop_by_machine(release.pk, why=ours("Worse."), actor=GATES)
    for _ in range(3):
        for pace in (working._looks, working._pace):
            pace.forget()
        working.carry()
    release.refresh_from_db()
    return release


def test_where_the_tenant_says_so_a_crossed_gate_rolls_back_by_itself(rolling: Rolling) -> None:
    say(rolling.traffic, ROLLS_BACK)
    release = crossed(rolling)
    rollback = Rollback.objects.get()
    assert (rollback.started_by, release.is_frozen) == (None, True)
    assert phases.is_at_least(rollback.phase, phases.RECONCILING)


def test_where_only_another_tenant_says_so_a_person_is_waited_for(rolling: Rolling) -> None:
    said = say(rolling.traffic, ROLLS_BACK)
    say(rolling.traffic, None)
    UsualPolicy.objects.create(
        tenant=make_tenant("elsewhere"),
        policy=said.policy,
        policy_digest=said.policy_digest,
        why="theirs",
        said_by=rolling.traffic.ada,
    )
    release = crossed(rolling)
    rollback = Rollback.objects.get()
    assert (rollback.phase, rollback.started_at) == (phases.PLANNED, None)
    assert not release.is_frozen


@pytest.mark.parametrize("people", [1, 2])
def test_as_many_people_order_a_rollback_as_the_tenant_says(rolling: Rolling, people: int) -> None:
    if people == 2:
        say(rolling.traffic, TWO)
    assert rolling.propose(rolling.canary()).needs_second is (people == 2)


@pytest.mark.parametrize(("drills", "least", "most"), [(0, 0, 0), (3_000, 520, 680)])
def test_the_share_of_drills_is_what_the_tenant_says(
    releases: Traffic, drills: int, least: int, most: int
) -> None:
    say(releases, {**USUAL, "shadows": {**DRILLS, "drills": drills}})
    release = releases.move(releases.begin(), standing.BEGIN)
    wanted = policy_of(release).shadows
    struck = [starting.dies_at(release, wanted, f"key {n}") for n in range(2_000)]
    assert least <= sum(each is not None for each in struck) <= most
