"""Claims: who is at a case or a problem now. A lease by the database's clock, kept by a heartbeat.

A claim gives nobody a right, and keeps one person from acting on what another is at: who does not
hold it takes it over first, in so many words. Whatever is judged here is judged under the lock of
the claim's row; in the lock order it comes after run and case.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from canonical.redaction import Redacted, ours
from checkpoints.errors import ClaimRefusedError, HeldByAnotherError
from checkpoints.models import Case, Claim
from tenants import access, audit, clock
from tenants.actors import Actor
from tenants.clock import ClockTimestamp
from tenants.keys import hiding
from tenants.models import Tenant, User

CASE: Final = "case"
PROBLEM: Final = "problem"
# Who may be at what: the right that acting on it takes.
RIGHTS: Final = {CASE: "reconcile_actions", PROBLEM: "operate_runs"}
# Who was handed something is not at it yet: they get so many times the usual lease to come.
TIME_TO_COME: Final = 4
MOST: Final = 500


@dataclass(frozen=True)
class Subject:
    """What is claimed: a case by its id, a problem by its fingerprint, at one tenant."""

    tenant: Tenant
    kind: str
    key: str

    @classmethod
    def of_case(cls, case: Case) -> "Subject":
        """The case as something to be claimed."""
        return cls(case.tenant, CASE, str(case.pk))


def claim(subject: Subject, *, user: User) -> Claim:
    """Be at it from now on; claimed again by its holder, the same claim with a new lease.

    Raises `HeldByAnotherError` while somebody else is, `ClaimRefusedError` without the right.
    """
    _admit(subject, user)
    with transaction.atomic():
        standing = _make_way(subject)
        if standing is None:
            return _begin(subject, user, "claim")
        if standing.holder_id != user.pk:
            raise HeldByAnotherError(standing)
        _extend(standing)
    return standing


def take_over(subject: Subject, *, user: User, seen: int | None = None) -> Claim:
    """Be at it instead of whoever is, of whose claim (`seen`) this person knows.

    Raises `HeldByAnotherError` when it is a later one by now, `ClaimRefusedError` without the right.
    """
    _admit(subject, user)
    with transaction.atomic():
        standing = _make_way(subject)
        if standing is None:
            return _begin(subject, user, "claim")
        if standing.holder_id == user.pk:
            _extend(standing)
            return standing
        if seen is not None and standing.pk != seen:
            raise HeldByAnotherError(standing)
        _end(standing, "taken_over")
        return _begin(subject, user, "take over", taken_from=standing.holder)


def hand_over(subject: Subject, *, user: User, colleague: User) -> Claim:
    """Let a colleague be at it from now on; they have some time to come, then it is free.

    Raises `HeldByAnotherError` while somebody else is at it, `ClaimRefusedError` without the right,
    or for a colleague without it.
    """
    _admit(subject, user)
    if colleague.pk == user.pk or not _may(subject, colleague):
        raise ClaimRefusedError("colleague")
    with transaction.atomic():
        standing = _make_way(subject)
        if standing is not None and standing.holder_id != user.pk:
            raise HeldByAnotherError(standing)
        if standing is not None:
            _end(standing, "handed_over")
        return _begin(subject, colleague, "hand over", handed_by=user)


def keep(subject: Subject, *, user: User) -> bool:
    """The heartbeat: a new lease for who holds it; False, and nothing changed, for everybody else.

    A lease that is over is not brought back: somebody may count on it already.
    """
    mine = _live(subject).filter(holder=user, lease_until__gt=ClockTimestamp())
    return mine.update(lease_until=ClockTimestamp() + _lease()) == 1


def release(subject: Subject, *, user: User) -> bool:
    """Let go of it; False when this person did not hold it."""
    with transaction.atomic():
        standing = _make_way(subject)
        if standing is None or standing.holder_id != user.pk:
            return False
        _end(standing, "released")
        _audit(subject, user, "release claim")
    return True


def settle(subject: Subject) -> bool:
    """Inside a verb's transaction, what was claimed is done with; False when nobody was at it."""
    standing = _make_way(subject)
    if standing is not None:
        _end(standing, "settled")
    return standing is not None


def refuse_if_anothers(subject: Subject, *, user: User, second: User | None = None) -> None:
    """Inside a verb's transaction: raises `HeldByAnotherError` while somebody else is at it.

    Else than `user`, or the `second` person who acts with them. Its row stays locked, so that
    nobody takes it over before the verb has committed.
    """
    standing = _locked(subject)
    theirs = {user.pk} if second is None else {user.pk, second.pk}
    if standing is not None and standing.holder_id not in theirs and _is_live(standing):
        raise HeldByAnotherError(standing)


def holder(subject: Subject) -> Claim | None:
    """The claim of who is at it now, to be shown."""
    return live(subject.tenant, subject.kind).filter(key=subject.key).first()


def standing(tenant: Tenant, kind: str, keys: Iterable[str]) -> dict[str, Claim]:
    """Who is at which of these now, at most `MOST`."""
    found = live(tenant, kind).filter(key__in=list(keys))[:MOST]
    return {each.key: each for each in found}


def live(tenant: Tenant, kind: str) -> QuerySet[Claim]:
    """The claims of a tenant whose lease is not over. Index: one_live_claim_per_subject."""
    found = Claim.objects.filter(
        tenant=tenant, kind=kind, ended="", lease_until__gt=ClockTimestamp()
    )
    return found.select_related("holder", "handed_by", "taken_from")


def who_can(tenant: Tenant, kind: str) -> list[User]:
    """The people who may be at such a thing here: whom it can be handed over to."""
    return access.holders(tenant, RIGHTS[kind])


def _admit(subject: Subject, user: User) -> None:
    if not _may(subject, user):
        raise ClaimRefusedError("no_right")


def _may(subject: Subject, user: User) -> bool:
    return user.pk in access.who_may(subject.tenant.pk, RIGHTS[subject.kind], [user.pk])


def _live(subject: Subject) -> QuerySet[Claim]:
    return Claim.objects.filter(tenant=subject.tenant, kind=subject.kind, key=subject.key, ended="")


def _locked(subject: Subject) -> Claim | None:
    found = _live(subject).select_related("holder").select_for_update(of=("self",))
    return found.first()


def _is_live(standing: Claim) -> bool:
    return standing.lease_until > clock.now()


def _make_way(subject: Subject) -> Claim | None:
    """The live claim, locked. One whose lease is over ends here, and is nobody's."""
    found = _locked(subject)
    if found is None or _is_live(found):
        return found
    _end(found, "expired")
    return None


def _begin(subject: Subject, user: User, verb: str, **by: Any) -> Claim:
    times = TIME_TO_COME if "handed_by" in by else 1
    mine = Claim(
        tenant=subject.tenant,
        kind=subject.kind,
        key=subject.key,
        holder=user,
        lease_until=clock.now() + _lease() * times,
        **by,
    )
    # Insert, then select in a second statement: of two who claim at once one finds the other's row.
    Claim.objects.bulk_create([mine], ignore_conflicts=True)
    stands = _locked(subject)
    if stands is None or stands.holder_id != user.pk:
        raise HeldByAnotherError(stands)
    giver = by.get("handed_by", user)
    _audit(subject, giver, verb, **_told(by, user))
    return stands


def _extend(standing: Claim) -> None:
    standing.lease_until = max(standing.lease_until, clock.now() + _lease())
    standing.save(update_fields=["lease_until"])


def _end(standing: Claim, how: str) -> None:
    Claim.objects.filter(pk=standing.pk, ended="").update(ended=how, ended_at=ClockTimestamp())


def _lease() -> timedelta:
    return timedelta(seconds=settings.KEDGE_CLAIM_SECONDS)


def _told(by: dict[str, Any], user: User) -> dict[str, Redacted]:
    if "taken_from" in by:
        return {"taken_from": hiding.text(str(by["taken_from"]))}
    return {"to": hiding.text(str(user))} if "handed_by" in by else {}


def _audit(subject: Subject, user: User, verb: str, **detail: Redacted) -> None:
    about = ours("%(kind)s %(key)s", kind=hiding.text(subject.kind), key=hiding.text(subject.key))
    audit.record(subject.tenant, Actor.person(user), hiding.text(verb), about, **detail)
