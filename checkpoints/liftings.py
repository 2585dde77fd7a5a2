"""Lifting a stop: one person proposes, another confirms in time, then what waited goes on paced."""

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from canonical.redaction import Redacted
from checkpoints import scopes
from checkpoints.errors import IllegalMoveError, StopRefusedError
from checkpoints.models import Lifting, Stop
from checkpoints.models.stop import FASTEST_PER_MINUTE
from checkpoints.scopes import Scope
from checkpoints.stopright import admit, refusals_on_record, refuse_if_unproved, who_may
from tenants import audit
from tenants.actors import LONGEST_NAME, Actor
from tenants.keys import hiding

PROPOSAL_LIVES: Final = timedelta(minutes=30)
USUAL_PER_MINUTE: Final = 60

MOST_EXPIRED: Final = 200
SWEEPER: Final = Actor.machine("sweeper")

CONFIRMED: Final = "confirmed"
WITHDRAWN: Final = "withdrawn"
EXPIRED: Final = "expired"


def propose(stop_id: int, *, why: str, per_minute: int, actor: Actor) -> Lifting:
    """Propose to lift a stop; somebody else confirms it within half an hour.

    `per_minute` is how many runs that wait for it go on. Raises `StopRefusedError`,
    `ProofNeededError`, `IllegalMoveError` (lifted or proposed already, no reason, no such pace).
    """
    if not why.strip():
        raise IllegalMoveError("lifting needs a reason; say in a few words why it may go on")
    if not 1 <= per_minute <= FASTEST_PER_MINUTE:
        raise IllegalMoveError(f"between 1 and {FASTEST_PER_MINUTE} runs a minute can go on")
    known = _known(stop_id)
    with refusals_on_record(known.tenant, actor, "lift", _subject(known)), transaction.atomic():
        stop = _locked(stop_id)
        user_id = admit(stop.tenant_id, actor)
        stop.liftings.filter(ended="", expires_at__lte=Now()).update(ended=EXPIRED, ended_at=Now())
        standing = stop.liftings.select_related("proposed_by").filter(ended="").first()
        if standing is not None:
            raise IllegalMoveError(
                f"{standing.proposed_by} has proposed it already; confirm that, or withdraw it"
            )
        _refuse_unless_ready(stop, actor)
        made = Lifting.objects.create(
            stop=stop,
            why=why,
            per_minute=per_minute,
            proposed_by_id=user_id,
            expires_at=Now() + PROPOSAL_LIVES,
        )
        audit.record(
            stop.tenant,
            actor,
            "proposed lifting",
            _subject(known),
            why=hiding.text(why),
            per_minute=per_minute,
            lifting=made.pk,
            **actor.proof_told(),
        )
    made.refresh_from_db()
    return made


def confirm(lifting_id: int, *, actor: Actor) -> Stop:
    """Lift the stop that somebody else proposed to lift. What waits for it goes on at its pace.

    Judged under the locks of scope, stop and proposal: two people, distinct, active, both still
    permitted, in time, both with a fresh proof at their own step. Raises `StopRefusedError`,
    `ProofNeededError`, `IllegalMoveError` (ended already: by whom).
    """
    known = Lifting.objects.get(pk=lifting_id)
    stop = _known(known.stop_id)
    with refusals_on_record(stop.tenant, actor, "lift", _subject(stop)), transaction.atomic():
        # Alone: who stops this scope right now either came before, and so withdrew the proposal,
        # or comes after, and finds nothing in force.
        scopes.take_alone(Scope.of_stop(stop), stop.lock)
        lifting = _open(lifting_id)
        user_id = _second_person(lifting, actor)
        _refuse_unless_ready(stop, actor)
        _end(lifting, CONFIRMED, actor)
        names = f"{lifting.proposed_by} and {actor.name}"[:LONGEST_NAME]
        Stop.objects.filter(pk=stop.pk, lifted_at=None).update(lifted_at=Now(), lifted_by=names)
        audit.record(
            stop.tenant,
            actor,
            "lifted",
            _subject(stop),
            why=hiding.text(lifting.why),
            per_minute=lifting.per_minute,
            lifting=lifting_id,
            proposed_by=lifting.proposed_by_id,
            confirmed_by=user_id,
            **actor.proof_told(),
        )
    stop.refresh_from_db()
    return stop


def withdraw(lifting_id: int, *, actor: Actor) -> Lifting:
    """Take a proposal back: the stop stays. Anybody may who may lift.

    Raises `StopRefusedError`, `IllegalMoveError` (ended already: by whom).
    """
    stop = _known(Lifting.objects.get(pk=lifting_id).stop_id)
    with refusals_on_record(stop.tenant, actor, "lift", _subject(stop)), transaction.atomic():
        lifting = _open(lifting_id)
        admit(stop.tenant_id, actor)
        _end(lifting, WITHDRAWN, actor)
        audit.record(stop.tenant, actor, "withdrew lifting", _subject(stop), lifting=lifting_id)
    lifting.refresh_from_db()
    return lifting


def withdraw_open(stop: Stop, subject: Redacted, *, why: str, actor: Actor) -> None:
    """Inside the transaction of somebody who stops again: nobody lifts over their head."""
    for lifting in Lifting.objects.select_for_update().filter(stop=stop, ended=""):
        _end(lifting, WITHDRAWN, actor)
        said = hiding.text(why)
        audit.record(stop.tenant, actor, "stopped again", subject, why=said, lifting=lifting.pk)


def end_paces(stops: QuerySet[Stop]) -> None:
    """Inside the transaction of a new stop of the same scope: what waits, waits for that one now."""
    under_way = Lifting.objects.filter(stop__in=stops, ended=CONFIRMED, paced_to_the_end_at=None)
    under_way.update(paced_to_the_end_at=Now())


def expire_all() -> int:
    """The sweeper's duty: end every proposal whose time is over; returns how many."""
    with transaction.atomic():
        over = Lifting.objects.select_for_update(skip_locked=True, of=("self",))
        found = list(over.filter(ended="", expires_at__lte=Now())[:MOST_EXPIRED])
        for lifting in found:
            _end(lifting, EXPIRED, SWEEPER)
            stop = _known(lifting.stop_id)
            subject = _subject(stop)
            audit.record(stop.tenant, SWEEPER, "expired lifting", subject, lifting=lifting.pk)
    return len(found)


def _refuse_unless_ready(stop: Stop, actor: Actor) -> None:
    """Nothing that floors above have is open behind this stop, and it is them who lift it."""
    for path in settings.KEDGE_LIFT_CHECKS:
        why = import_string(path)(stop.pk)
        if why:
            raise IllegalMoveError(f"this stop cannot be lifted yet: {why}")
    refuse_if_unproved(stop.pk, actor)


def _second_person(lifting: Lifting, actor: Actor) -> int:
    stop = lifting.stop
    user_id = admit(stop.tenant_id, actor)
    if user_id == lifting.proposed_by_id:
        raise StopRefusedError("same_person")
    if not who_may(stop.tenant_id, [lifting.proposed_by_id]):
        raise StopRefusedError("proposer")
    return user_id


def _known(stop_id: int) -> Stop:
    return Stop.objects.select_related("tenant", "combo").get(pk=stop_id)


def _locked(stop_id: int) -> Stop:
    stop = Stop.objects.select_for_update(of=("self",)).select_related("tenant").get(pk=stop_id)
    if stop.lifted_at is not None:
        raise IllegalMoveError(f"{stop.lifted_by} lifted it already")
    return stop


def _open(lifting_id: int) -> Lifting:
    """Lock a proposal that stands, and its stop first; else say what became of it."""
    stop = _locked(Lifting.objects.get(pk=lifting_id).stop_id)
    lifting = (
        Lifting.objects.select_for_update(of=("self",))
        .select_related("proposed_by")
        .get(pk=lifting_id)
    )
    if lifting.ended == WITHDRAWN:
        raise IllegalMoveError(f"{lifting.ended_by} withdrew the proposal")
    if lifting.ended or not Lifting.objects.filter(pk=lifting_id, expires_at__gt=Now()).exists():
        raise IllegalMoveError("the time of the proposal is over; propose it anew")
    lifting.stop = stop
    return lifting


def _end(lifting: Lifting, how: str, actor: Actor) -> None:
    values: dict[str, Any] = {"ended": how, "ended_at": Now(), "ended_by": actor.name}
    if how == CONFIRMED:
        # The first run goes on at once. For new runs nothing waits.
        beat = timedelta(minutes=1) / lifting.per_minute
        values |= {"confirmed_by_id": actor.user_id, "paced_at": Now() - beat}
        values |= {"paced_to_the_end_at": Now()} if lifting.stop.lock == "new_runs" else {}
    hit = Lifting.objects.filter(pk=lifting.pk, ended="").update(**values)
    if hit != 1:
        raise IllegalMoveError("this proposal has ended already; load the page again")


def _subject(stop: Stop) -> Redacted:
    return hiding.text(f"{stop.lock} of {Scope.of_stop(stop)}")
