"""Saying that one has seen the remarks of a second look, where the rules want that before a yes.

It only ever refuses: a look that came late, came to nothing or never came asks for nothing.
"""

from uuid import UUID

from django.db import transaction

from approvals import judging, locks, requests, states
from approvals.errors import RemarksUnseenError
from approvals.models import ApprovalRequest
from approvals.models.secondlooks import LOOK_HERE, SecondLook, SeenRemarks
from approvals.rules import secondlooks
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User


def refuse_if_unseen(request: ApprovalRequest, user: User) -> dict[str, str]:
    """Before a yes, under the lock of the request; returns which look this person saw, for the record.

    Raises `RemarksUnseenError` when the rules want its remarks seen and this person has not.
    """
    look = SecondLook.objects.filter(request=request, outcome=LOOK_HERE).first()
    if look is None:
        return {}
    if SeenRemarks.objects.filter(look=look, user=user).exists():
        return {"second_look": str(look.pk), "seen_remarks": str(look.remark_count)}
    if judging.demands(request).second_look == secondlooks.ACKNOWLEDGE:
        raise RemarksUnseenError(request.pk, look.remark_count)
    return {}


def see(request_id: UUID, look_id: UUID, *, actor: Actor, user: User) -> SecondLook:
    """Keep that this person has seen all remarks of this look; twice is once.

    Raises `NotPermittedError` for whoever may not decide here, `AlreadyDecidedError` once it is
    closed, `SecondLook.DoesNotExist` for a look that is not of this request or remarks nothing.
    """
    with transaction.atomic():
        request = locks.request(request_id)
        judging.admit(request, actor=actor, user=user)
        look = SecondLook.objects.get(pk=look_id, request=request, outcome=LOOK_HERE)
        if request.state != states.OPEN:
            raise judging.already(request)
        _, is_new = SeenRemarks.objects.get_or_create(look=look, user=user)
        if is_new:
            told = hiding.texts(look=str(look.pk), remarks=str(look.remark_count))
            requests.record(request, actor, "see_remarks", **told)
    return look
