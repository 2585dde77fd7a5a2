"""Handing a question over: one person asks a named colleague to decide it. It gives nobody a right."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db import transaction

from approvals import clock, decisions, judging, locks, requests, states, words
from approvals.errors import CannotTakeItError, NotPermittedError
from approvals.models import ApprovalRequest, HandOver
from approvals.people import notices
from canonical.redaction import Redacted, ours
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

MOST: Final = 200


def hand_over(
    request_id: UUID, *, actor: Actor, user: User, colleague: User, note: str = ""
) -> HandOver:
    """Ask a colleague to decide an open question; asked again, the same hand-over comes back.

    Raises `NotPermittedError` for people with neither `approve_actions` nor `operate_runs`,
    `AlreadyDecidedError` once it is closed or over, and `CannotTakeItError` for a colleague who
    may not decide it or has answered it.
    """
    with transaction.atomic():
        request = locks.request(request_id)
        _admit(request, actor, user)
        if request.state != states.OPEN:
            raise judging.already(request)
        if request.expires_at <= clock.now():
            raise judging.past_expiry(request)
        if colleague.pk == user.pk or colleague not in can_take(request):
            raise CannotTakeItError(request.pk, str(colleague))
        between = {"request": request, "given_by": user, "given_to": colleague}
        known = HandOver.objects.filter(**between, taken_back_at=None).first()
        if known is not None:
            return known
        given = HandOver.objects.create(**between, note=str(words.of(request, note.strip())))
        told = {**_to(colleague), "note": hiding.text(given.note)}
        requests.record(request, actor, "hand_over", **told)
        notices.handed(given)
    return given


def take_back(hand_over_id: UUID, *, actor: Actor, user: User) -> HandOver:
    """Take one's own hand-over back; taken back twice, it is the same.

    Raises `NotPermittedError` for everybody but the person who handed it over.
    """
    request_id = HandOver.objects.values_list("request_id", flat=True).get(pk=hand_over_id)
    with transaction.atomic():
        request = locks.request(request_id)
        given = HandOver.objects.select_related("given_to").get(pk=hand_over_id)
        if actor.kind != "person" or actor.user_id != user.pk:
            raise NotPermittedError("machine", request_id)
        if given.given_by_id != user.pk:
            raise NotPermittedError("no_right", request_id)
        if given.taken_back_at is None:
            given.taken_back_at = clock.now()
            given.save(update_fields=["taken_back_at"])
            requests.record(request, actor, "take_hand_over_back", **_to(given.given_to))
            notices.unhanded(given)
    return given


def can_take(request: ApprovalRequest) -> list[User]:
    """The people who may decide this request now and have not answered it, oldest first."""
    return judging.still_can(request)


def standing(request_ids: Iterable[UUID]) -> dict[UUID, list[HandOver]]:
    """The hand-overs of these requests that were not taken back, oldest first, at most `MOST`."""
    found = HandOver.objects.filter(request_id__in=list(request_ids), taken_back_at=None)
    by_request: dict[UUID, list[HandOver]] = {}
    for given in found.select_related("given_by", "given_to").order_by("id")[:MOST]:
        by_request.setdefault(given.request_id, []).append(given)
    return by_request


def _to(colleague: User) -> dict[str, Redacted]:
    return {"to": hiding.text(str(colleague)), "to_id": ours("%(id)s", id=colleague.pk)}


def _admit(request: ApprovalRequest, actor: Actor, user: User) -> None:
    if actor.kind != "person" or actor.user_id != user.pk:
        raise NotPermittedError("machine", request.pk)
    if not decisions.may_withdraw(request, actor):
        raise NotPermittedError("no_right", request.pk)
