"""Moving a release: proposed as it is shown, made by who posts back exactly that, and told to the route.

Lock order: release, then its route, then whatever a start locks. A machine only stops.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from approvals import clock
from canonical import digests
from canonical import json as canonical
from canonical.redaction import Fact, Said, ours
from checkpoints.arms import PLACES
from releases import demands, routing
from releases.beginning import RIGHT, standing_of
from releases.errors import MoveChangedError, ReleaseRefusedError, SecondPersonNeededError
from releases.gates import standing
from releases.gates.standing import NotFromHereError
from releases.impact import reading as impact
from releases.locking import locked_by
from releases.models import Move, MoveOrder, Release
from tenants import access, audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

TAG: Final = "release-move"
BY_PEOPLE: Final = (
    standing.BEGIN,
    standing.WIDEN,
    standing.PROMOTE,
    standing.STOP,
    standing.LIFT,
)
OPEN_FOR: Final = timedelta(hours=8)
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True)
class Wanted:
    """A move somebody wants: its kind, the shares it leads to (of 10,000), and why."""

    kind: str
    why: str
    share: int = 0
    share_of_critical: int = 0


def propose(release_id: UUID, wanted: Wanted, *, user: User) -> Move:
    """Store the move as it is shown. Raises `ReleaseRefusedError`, `Denied`; nothing moves yet."""
    why = hiding.text(wanted.why.strip())
    if not str(why):
        raise ReleaseRefusedError("a move needs a reason; say in a few words why now")
    if wanted.kind not in BY_PEOPLE:
        raise ReleaseRefusedError(f"{wanted.kind!r} is no move; there are {', '.join(BY_PEOPLE)}")
    # Counted before anything is locked: it is of a moment, and decides nothing.
    beside = impact.beside(release_id, wanted.kind)
    with transaction.atomic():
        release = locked_by(release_id, user)
        _expire(release)
        if release.moves.filter(ended="").exists():
            raise ReleaseRefusedError("another move of it is open; decide or withdraw that first")
        shown = _shown(release, wanted)
        _refuse_unready(release, wanted)
        kept = replace(wanted, why=str(why))
        move = _stored(release, kept, shown, actor=Actor.person(user), beside=beside)
        _tell(move, Actor.person(user), "proposed release move", why=why)
    return move


def second(move_id: UUID, digest: str, *, user: User) -> Move:
    """Say yes to it as the second person; somebody else makes it."""
    with transaction.atomic():
        move = _open(move_id, digest, user)
        if not move.needs_second:
            raise ReleaseRefusedError("this move takes no second person")
        if user.pk == move.proposed_by_id:
            raise ReleaseRefusedError("you proposed it: somebody else has to say yes to it")
        _order(move, "second", user)
        _tell(move, Actor.person(user), "seconded release move")
    return move


def make(move_id: UUID, digest: str, *, user: User) -> Release:
    """Make the move that the page showed; what is decisive of it is looked at again first.

    Raises `MoveChangedError` when any of it is different by now, `SecondPersonNeededError`,
    `ReleaseRefusedError`, `Denied`.
    """
    with transaction.atomic():
        move = _open(move_id, digest, user)
        release, wanted = move.release, _wanted(move)
        if digests.tagged(TAG, _shown(release, wanted)) != move.digest:
            raise MoveChangedError
        _refuse_unready(release, wanted)
        if move.needs_second and not _is_seconded(move, user):
            raise SecondPersonNeededError
        _order(move, "make", user)
        _carry(release, move, Actor.person(user), user)
    release.refresh_from_db()
    return release


def withdraw(move_id: UUID, *, user: User) -> Move:
    """Take a proposed move back."""
    with transaction.atomic():
        move = _open(move_id, None, user)
        Move.objects.filter(pk=move.pk, ended="").update(ended="withdrawn", ended_at=Now())
        _tell(move, Actor.person(user), "withdrew release move")
    move.refresh_from_db()
    return move


def stop_by_machine(release_id: UUID, *, why: Said, actor: Actor) -> bool:
    """A crossed gate or a safety constraint: no new run gets the candidate from here on.

    In every place, also while a move waits for a person; that move is withdrawn. False when the
    release takes no runs any more.
    """
    with transaction.atomic():
        release = Release.objects.select_for_update(of=("self",)).get(pk=release_id)
        if not standing.may(standing_of(release), standing.STOP, by_person=False):
            return False
        release.moves.filter(ended="").update(ended="withdrawn", ended_at=Now())
        wanted = Wanted(standing.STOP, str(hiding.text(hiding.said(why))))
        move = _stored(release, wanted, _shown(release, wanted, by_person=False), actor=actor)
        _carry(release, move, actor, None)
    return True


def roll_back(release: Release, *, why: Said, actor: Actor, user: User | None) -> Move:
    """Inside the third phase of a rollback, the release locked: its traffic is as it was before.

    PostgreSQL asks this move for the rollback, and that for what people said of it. `user` None: by
    the policy of the release; it is frozen then. A move that waits for a person is withdrawn. Raises
    `ReleaseRefusedError`.
    """
    release.moves.filter(ended="").update(ended="withdrawn", ended_at=Now())
    wanted = Wanted(standing.ROLL_BACK, str(hiding.text(hiding.said(why))))
    shown = _shown(release, wanted, by_person=user is not None)
    move = _stored(release, wanted, shown, actor=actor)
    _carry(release, move, actor, user)
    return move


def _open(move_id: UUID, digest: str | None, user: User) -> Move:
    """The open move with its release, both locked, the release first."""
    release = locked_by(Move.objects.values_list("release_id", flat=True).get(pk=move_id), user)
    _expire(release)
    move = Move.objects.select_for_update(of=("self",)).get(pk=move_id)
    if move.ended:
        raise ReleaseRefusedError(f"this move is {move.ended} by now; load the page again")
    if digest is not None and digest != move.digest:
        raise MoveChangedError
    move.release = release
    return move


def _expire(release: Release) -> None:
    over = release.moves.filter(ended="", expires_at__lte=clock.now())
    over.update(ended="expired", ended_at=Now())


def _wanted(move: Move) -> Wanted:
    return Wanted(move.kind, move.why, move.share, move.share_of_critical)


def _shown(release: Release, wanted: Wanted, *, by_person: bool = True) -> dict[str, Any]:
    """What is decisive of a move: whoever says yes to it says yes to exactly this."""
    try:
        after = standing.moved(standing_of(release), wanted.kind, by_person=by_person)
    except NotFromHereError as error:
        raise ReleaseRefusedError(str(error)) from error
    _refuse_shares(release, wanted, after)
    return {
        "release": str(release.pk),
        "after_move": release.last_move,
        "kind": wanted.kind,
        "from": [release.place, release.share, release.share_of_critical],
        "to": [after.place, wanted.share, wanted.share_of_critical],
        "candidate": release.candidate.hex,
        "stable": release.stable.hex,
        "policy": release.policy_digest,
        "demands": demands.told(release, wanted.kind),
    }


def _refuse_shares(release: Release, wanted: Wanted, after: standing.Standing) -> None:
    if after.place != standing.CANARY:
        if wanted.share or wanted.share_of_critical:
            raise ReleaseRefusedError("only a canary has a share of the runs")
        return
    if not 0 <= wanted.share_of_critical <= wanted.share <= PLACES or not wanted.share:
        raise ReleaseRefusedError("a canary takes from 0.01 % to 100 %, of critical runs no more")
    if (wanted.share, wanted.share_of_critical) == (release.share, release.share_of_critical):
        raise ReleaseRefusedError("that is the share it has")
    if wanted.share < release.share or wanted.share_of_critical < release.share_of_critical:
        raise ReleaseRefusedError("a canary only grows; stop it, and begin again as a shadow")


def _refuse_unready(release: Release, wanted: Wanted) -> None:
    lacking = demands.lacking(release, wanted.kind)
    if lacking:
        raise ReleaseRefusedError("; ".join(lacking))


def _stored(
    release: Release,
    wanted: Wanted,
    shown: dict[str, Any],
    *,
    actor: Actor,
    beside: Mapping[str, Any] = NOTHING,
) -> Move:
    last = release.moves.aggregate(last=Max("number"))["last"] or 0
    return Move.objects.create(
        release=release,
        tenant=release.tenant,
        number=last + 1,
        kind=wanted.kind,
        place=shown["to"][0],
        share=wanted.share,
        share_of_critical=wanted.share_of_critical,
        shown=canonical.dumps(shown),
        digest=digests.tagged(TAG, shown),
        beside=dict(beside),
        why=wanted.why,
        needs_second=demands.needs_second(release, wanted.kind),
        proposed_by_id=actor.user_id,
        actor=actor.name,
        expires_at=clock.now() + OPEN_FOR,
    )


def _is_seconded(move: Move, user: User) -> bool:
    orders = move.orders.filter(said="second", digest=move.digest).exclude(user=user)
    seconder = orders.values_list("user_id", flat=True).first()
    return seconder is not None and seconder in access.who_may(move.tenant_id, RIGHT, [seconder])


def _order(move: Move, said: str, user: User) -> None:
    MoveOrder.objects.create(
        move=move, tenant_id=move.tenant_id, said=said, user=user, digest=move.digest
    )


def _carry(release: Release, move: Move, actor: Actor, user: User | None) -> None:
    """The move, then the release, then the route: PostgreSQL asks each for the one before it."""
    frozen = standing.moved(standing_of(release), move.kind, by_person=user is not None).is_frozen
    Move.objects.filter(pk=move.pk, ended="").update(ended="made", ended_at=Now(), made_by=user)
    Release.objects.filter(pk=release.pk).update(
        place=move.place,
        share=move.share,
        share_of_critical=move.share_of_critical,
        is_frozen=frozen,
        last_move=move.number,
        moved_at=Now(),
    )
    routing.send(release, move)
    _tell(move, actor, "moved release", why=hiding.text(move.why))


def _tell(move: Move, actor: Actor, verb: str, **detail: Fact) -> None:
    told: dict[str, Fact] = {
        **hiding.texts(kind=move.kind, to=move.place, digest=move.digest),
        "share": move.share,
        "share_of_critical": move.share_of_critical,
        **detail,
    }
    subject = ours("release:%(id)s", id=move.release_id)
    audit.record(move.tenant, actor, hiding.text(verb), subject, **told)
