"""Being at a case: the verbs of `checkpoints.claims` under the locks of run and case, with events."""

from collections.abc import Callable
from uuid import UUID

from django.db import transaction

from canonical.redaction import Redacted, Said
from checkpoints import cases, claims, events, notices
from checkpoints.claims import Subject
from checkpoints.desk import notes, pauses
from checkpoints.models import Case, Claim, OutsideWait
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User


def claim(case_id: UUID, *, user: User) -> Claim:
    """Be at an open case. Raises `HeldByAnotherError`, and `IllegalMoveError` once it is decided."""
    return _at(case_id, lambda subject: claims.claim(subject, user=user), "case claimed", user)


def take_over(case_id: UUID, *, user: User, seen: int | None = None) -> Claim:
    """Be at an open case instead of whoever is, of whose claim (`seen`) this person knows.

    Raises as `claims.take_over`, and `IllegalMoveError` once it is decided.
    """

    def verb(subject: Subject) -> Claim:
        return claims.take_over(subject, user=user, seen=seen)

    return _at(case_id, verb, "case claimed", user)


def hand_over(case_id: UUID, *, user: User, colleague: User, note: Said = "") -> Claim:
    """Let a colleague be at an open case, and tell them. Raises as `claims.hand_over`."""
    with transaction.atomic():
        _, case = cases.locked(case_id)
        given = claims.hand_over(Subject.of_case(case), user=user, colleague=colleague)
        said = hiding.said(note)
        if said.strip():
            notes.write(case, hiding.text(said), user=user)
        told = {"to": hiding.text(str(colleague))}
        events.append(case.run_id, "case handed over", Actor.person(user), case=case.pk, **told)
        notices.case_handed_over(case, given)
    return given


def release(case_id: UUID, *, user: User) -> bool:
    """Let go of a case; False when this person was not at it."""
    case = Case.objects.select_related("tenant").get(pk=case_id)
    with transaction.atomic():
        hit = claims.release(Subject.of_case(case), user=user)
        if hit:
            events.append(case.run_id, "case released", Actor.person(user), case=case.pk)
    return hit


def keep(case: Case, *, user: User) -> bool:
    """The heartbeat of who is at a case; False, and nothing changed, for everybody else."""
    return claims.keep(Subject.of_case(case), user=user)


def wait_outside(case_id: UUID, *, party: Said, why: Said, user: User) -> OutsideWait:
    """Let the age of an open case stand still while somebody outside is waited for.

    Raises `HeldByAnotherError` while somebody else is at the case, and as `pauses.begin`.
    """
    with transaction.atomic():
        _, case = cases.locked(case_id)
        claims.refuse_if_anothers(Subject.of_case(case), user=user)
        return pauses.begin(
            case,
            party=hiding.text(hiding.said(party)),
            why=hiding.text(hiding.said(why)),
            user=user,
        )


def wait_no_more(case_id: UUID, *, user: User) -> OutsideWait:
    """Let the age of an open case go on. Raises as `pauses.end`."""
    with transaction.atomic():
        _, case = cases.locked(case_id)
        return pauses.end(case, user=user)


def _at(case_id: UUID, verb: Callable[[Subject], Claim], what: str, user: User) -> Claim:
    with transaction.atomic():
        _, case = cases.locked(case_id)
        subject = Subject.of_case(case)
        before = claims.holder(subject)
        made = verb(subject)
        if before is None or before.pk != made.pk:
            events.append(
                case.run_id, hiding.text(what), Actor.person(user), case=case.pk, **_told(made)
            )
    return made


def _told(made: Claim) -> dict[str, Redacted]:
    return {} if made.taken_from is None else {"taken_from": hiding.text(str(made.taken_from))}
