"""A release moves on the word of a person for exactly what was shown; a machine only stops it."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError

from approvals import clock
from canonical.redaction import Hidden, Known
from checkpoints.models import Route
from releases import moving
from releases.errors import MoveChangedError, ReleaseRefusedError, SecondPersonNeededError
from releases.gates import standing
from releases.models import Move, MoveOrder, Release
from releases.moving import Wanted
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import AuditRow
from tests.people import bob, eve
from tests.reconciliation.deskwork import guards_off
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db

MACHINE = Actor.machine("gates")


def test_to_a_canary_by_two_moves_and_the_route_follows(releases: Traffic) -> None:
    release = releases.canary(1_500, 500)
    route = releases.route()
    assert (release.place, release.share, release.share_of_critical) == ("canary", 1_500, 500)
    assert (route.candidate, route.share, route.share_of_critical, route.salt) == (
        releases.candidate,
        1_500,
        500,
        release.salt,
    )
    verbs = AuditRow.objects.filter(subject=f"release:{release.pk}").order_by("audit_id")
    assert list(verbs.values_list("verb", flat=True)) == [
        "began release",
        "proposed release move",
        "moved release",
        "proposed release move",
        "moved release",
    ]


def test_a_reason_is_kept_without_what_is_sensitive(releases: Traffic) -> None:
    release = releases.begin()
    wanted = Wanted(standing.BEGIN, " the key hunter2-hunter2 works ")
    with hiding.hiding(Known([Hidden("hunter2-hunter2", "k1")])):
        move = moving.propose(release.pk, wanted, user=releases.ada)
    assert "hunter2" not in Move.objects.get(pk=move.pk).why
    assert Move.objects.get(pk=move.pk).why.startswith("the key ")


def test_nothing_moves_before_somebody_says_yes(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    release.refresh_from_db()
    assert (release.place, move.ended) == ("new", "")


def test_the_yes_is_for_what_was_shown(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    with pytest.raises(MoveChangedError):
        moving.make(move.pk, "0" * 64, user=releases.ada)
    assert not MoveOrder.objects.exists()


def test_a_move_is_made_once(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    moving.make(move.pk, move.digest, user=releases.ada)
    with pytest.raises(ReleaseRefusedError, match="made by now"):
        moving.make(move.pk, move.digest, user=releases.dee)
    assert Move.objects.filter(ended="made").count() == 1


def test_one_open_move_at_a_time_and_it_can_be_taken_back(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    with pytest.raises(ReleaseRefusedError, match="another move of it is open"):
        releases.propose(release, standing.STOP)
    moving.withdraw(move.pk, user=releases.dee)
    assert releases.move(release, standing.STOP).place == "stopped"


def test_what_nobody_decided_in_time_is_over(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    with guards_off():
        Move.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    with pytest.raises(ReleaseRefusedError, match="expired by now"):
        moving.make(move.pk, move.digest, user=releases.ada)


@pytest.mark.parametrize(
    ("kind", "shares", "said"),
    [
        (standing.PROMOTE, (0, 0), "does not lead on from new"),
        (standing.WIDEN, (100, 0), "does not lead on from new"),
        (standing.ROLL_BACK, (0, 0), "is no move"),
        ("nonsense", (0, 0), "is no move"),
        (standing.BEGIN, (5, 0), "only a canary has a share"),
    ],
)
def test_what_does_not_lead_on_is_refused(
    releases: Traffic, kind: str, shares: tuple[int, int], said: str
) -> None:
    release = releases.begin()
    with pytest.raises(ReleaseRefusedError, match=said):
        releases.propose(release, kind, *shares)


@pytest.mark.parametrize("shares", [(0, 0), (10_001, 0), (5, 6), (900, 0), (1_000, 0), (2_000, -1)])
def test_a_canary_only_grows_and_only_to_all(releases: Traffic, shares: tuple[int, int]) -> None:
    release = releases.canary(1_000)
    with pytest.raises(ReleaseRefusedError):
        releases.propose(release, standing.WIDEN, *shares)
    assert releases.move(release, standing.WIDEN, 1_001, 1).share == 1_001


def test_a_promotion_waits_for_a_look_that_allows_it(releases: Traffic) -> None:
    release = releases.canary()
    with pytest.raises(ReleaseRefusedError, match="no look of its gates allows it"):
        releases.propose(release, standing.PROMOTE)


def test_a53_what_was_stopped_comes_back_as_a_shadow_only(releases: Traffic) -> None:
    release = releases.move(releases.canary(), standing.STOP)
    assert (release.place, releases.route().candidate, releases.route().share) == (
        "stopped",
        None,
        0,
    )
    with pytest.raises(ReleaseRefusedError, match="does not lead on from stopped"):
        releases.propose(release, standing.WIDEN, 100)
    assert releases.move(release, standing.LIFT).place == "shadow"
    assert releases.route().candidate is None


def test_a_stopped_release_is_not_lifted_beside_another(releases: Traffic) -> None:
    stopped = releases.move(releases.begin(), standing.STOP)
    releases.begin()
    with pytest.raises(ReleaseRefusedError, match="release 2 is under way"):
        releases.propose(stopped, standing.LIFT)


@pytest.mark.parametrize("waiting", [False, True])
@pytest.mark.parametrize("at", ["new", "shadow", "canary"])
def test_a48_a_machine_stops_it_wherever_it_stands(
    releases: Traffic, at: str, *, waiting: bool
) -> None:
    release = releases.begin()
    if at != "new":
        release = releases.move(release, standing.BEGIN)
    if at == "canary":
        release = releases.move(release, standing.WIDEN, 1_000)
    if waiting:
        releases.propose(release, standing.STOP)
    assert moving.stop_by_machine(release.pk, why="a duplicate arrived", actor=MACHINE)
    release.refresh_from_db()
    assert (release.place, releases.route().candidate) == ("stopped", None)
    assert not release.moves.filter(ended="").exists()
    assert not moving.stop_by_machine(release.pk, why="again", actor=MACHINE)


def test_it_takes_the_right(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    for person in (bob(releases.tenant), eve(releases.tenant)):
        with pytest.raises(Denied):
            moving.make(move.pk, move.digest, user=person)
        with pytest.raises(Denied):
            moving.propose(release.pk, Wanted(standing.STOP, "why"), user=person)
        with pytest.raises(Denied):
            moving.withdraw(move.pk, user=person)


def test_two_people_where_two_are_asked_for(
    releases: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = releases.begin()
    monkeypatch.setattr("releases.demands.TWO_PEOPLE", (standing.BEGIN,))
    move = releases.propose(release, standing.BEGIN)
    with pytest.raises(SecondPersonNeededError):
        moving.make(move.pk, move.digest, user=releases.ada)
    with pytest.raises(ReleaseRefusedError, match="somebody else"):
        moving.second(move.pk, move.digest, user=releases.ada)
    moving.second(move.pk, move.digest, user=releases.dee)
    with pytest.raises(SecondPersonNeededError):
        moving.make(move.pk, move.digest, user=releases.dee)
    assert moving.make(move.pk, move.digest, user=releases.ada).place == "shadow"


def forced(table: type[Any], pk: Any, **change: Any) -> None:
    table.objects.filter(pk=pk).update(**change)


def test_the_database_moves_nothing_without_a_persons_order(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    made = {"ended": "made", "ended_at": clock.now(), "made_by": releases.ada}
    with pytest.raises(IntegrityError, match="a_move_is_made_on_the_word_of_a_person"):
        forced(Move, move.pk, **made)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"place": "shadow"}, "a_release_stands_where_its_last_move_led"),
        ({"place": "shadow", "last_move": 1}, "a_release_stands_where_its_last_move_led"),
        ({"is_frozen": True}, "a_release_stands_where_its_last_move_led"),
        ({"salt": "another"}, "a_release_stays_what_it_is"),
        ({"policy": b"[]"}, "a_release_stays_what_it_is"),
    ],
)
def test_the_database_keeps_a_release_where_it_was_moved(
    releases: Traffic, change: dict[str, Any], rule: str
) -> None:
    release = releases.begin()
    releases.propose(release, standing.BEGIN)
    with pytest.raises(IntegrityError, match=rule):
        forced(Release, release.pk, **change)


@pytest.mark.parametrize(
    "change", [{"share": 2_000}, {"share_of_critical": 1}, {"stable": "candidate"}]
)
def test_the_database_sends_runs_only_where_a_release_stands(
    releases: Traffic, change: dict[str, Any]
) -> None:
    releases.canary(1_000)
    if "stable" in change:
        change = {"stable": releases.candidate, "candidate": None, "share": 0}
    with pytest.raises(IntegrityError, match="a_route_follows_its_release"):
        forced(Route, releases.route().pk, **change)


def test_what_was_said_stays_on_record(releases: Traffic) -> None:
    releases.canary()
    order = MoveOrder.objects.first()
    assert order is not None
    with pytest.raises(IntegrityError, match="what_was_released_stays_on_record"):
        MoveOrder.objects.filter(pk=order.pk).update(said="second")
