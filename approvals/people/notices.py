"""Who is told what about requests: asked, handed over, about to expire, nobody came, not sent.

Texts name the task type, the tool and the tenant and nothing else: no target, no diff, no
parameters, no business key. Who may see those sees them on the page.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import (
    DateTimeField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    QuerySet,
    UUIDField,
)
from django.db.models.functions import Cast, Substr
from django.urls import reverse
from django.utils.translation import gettext as _

from approvals import judging, states
from approvals.clock import ClockTimestamp
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest, Decision, HandOver
from approvals.models.openings import OpenedPart
from checkpoints import notices
from tenants.keys import hiding
from tenants.models import User
from tenants.notifications import outbox
from tenants.notifications.models import Notification
from tenants.notifications.outbox import Matter

EXPIRING: Final = "approval_expiring"
HANDED: Final = "handed_over"
UNSENT: Final = "approval_unsent"
SOONEST: Final = timedelta(hours=1)


def asked(request: ApprovalRequest) -> None:
    """Tell everybody who may decide; in the transaction that put the question."""
    if not settings.KEDGE_NOTIFICATIONS or request.state != states.OPEN:
        return
    text = _("A run of “%(task)s” at %(tenant)s asks for permission to use %(tool)s.")
    outbox.put(request.tenant, _asked_people(request), _matter("request_asked", request, text))


def settled(request: ApprovalRequest) -> None:
    """Nobody needs to be told of this request any more."""
    outbox.forget(_subject(request))


def handed(given: HandOver) -> None:
    """Tell a colleague that somebody asks them to decide; in the transaction of the hand-over."""
    if settings.KEDGE_NOTIFICATIONS:
        outbox.put(given.request.tenant, [given.given_to], _handing(given))


def unhanded(given: HandOver) -> None:
    """The hand-over was taken back: nobody is told of it who was not yet."""
    if settings.KEDGE_NOTIFICATIONS:
        outbox.unsay(given.given_to, _handing(given))


def remind(limit: int) -> int:
    """Tell who may still decide what is about to expire, each once; returns how many requests.

    About to: in the last quarter of its life, one hour at most.
    """
    if not settings.KEDGE_NOTIFICATIONS:
        return 0
    quarter = ExpressionWrapper(
        F("expires_at") - (F("expires_at") - F("asked_at")) / 4, output_field=DateTimeField()
    )
    last_hour = ExpressionWrapper(F("expires_at") - SOONEST, output_field=DateTimeField())
    soon = (
        _open()
        .annotate(last=quarter, hour=last_hour)
        .filter(
            last__lte=ClockTimestamp(), hour__lte=ClockTimestamp(), expires_at__gt=ClockTimestamp()
        )
    )
    text = _("The request of “%(task)s” at %(tenant)s to use %(tool)s expires soon, undecided.")
    return sum(_tell(request, text) for request in soon.filter(~_told(EXPIRING))[:limit])


def escalate(limit: int) -> int:
    """Tell the owners about requests that nobody opened or decided in time, each once."""
    if not settings.KEDGE_NOTIFICATIONS:
        return 0
    since = ClockTimestamp() - timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES)
    mine = {"request": OuterRef("pk")}
    late = _open().filter(
        ~Exists(Decision.objects.filter(**mine)),
        ~Exists(OpenedPart.objects.filter(**mine)),
        ~Exists(HandOver.objects.filter(**mine)),
        ~_told(notices.UNCLAIMED),
        asked_at__lt=since,
    )
    return sum(_escalate(request) for request in late[:limit])


def unsent(limit: int) -> int:
    """Tell who approved, and the owners, of approvals that nothing has used for long, each once.

    Of those used since nobody is told who was not yet. Returns about how many requests.
    """
    if not settings.KEDGE_NOTIFICATIONS:
        return 0
    _forget_used(limit)
    since = ClockTimestamp() - timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES)
    late = (
        _with_state(states.APPROVED)
        .filter(~_told(UNSENT), approval__granted_at__lt=since, expires_at__gt=ClockTimestamp())
        .order_by("approval__granted_at")
    )
    return sum(_tell_unsent(request) for request in late[:limit])


def _open() -> QuerySet[ApprovalRequest]:
    return _with_state(states.OPEN)


def _with_state(state: str) -> QuerySet[ApprovalRequest]:
    found = ApprovalRequest.objects.filter(state=state).select_related("tenant", "run")
    return found.defer("diff", "parameters", "bound", "run__input").order_by("pk")


def _told(kind: str) -> Exists:
    return Exists(notices.told(kind, "request", OuterRef("pk")))


def _tell(request: ApprovalRequest, text: str) -> int:
    decided = set(request.decisions.values_list("user_id", flat=True))
    people = [user for user in _asked_people(request) if user.pk not in decided]
    return min(1, outbox.put(request.tenant, people, _matter(EXPIRING, request, text)))


def _escalate(request: ApprovalRequest) -> int:
    text = _("Nobody has looked for %(n)d minutes at the request of “%(task)s” at %(tenant)s.")
    people = notices.owners(request.tenant, request.run.task_type)
    return min(1, outbox.put(request.tenant, people, _matter(notices.UNCLAIMED, request, text)))


def _tell_unsent(request: ApprovalRequest) -> int:
    text = _(
        "The request of “%(task)s” at %(tenant)s to use %(tool)s was approved more than "
        "%(n)d minutes ago, and nothing was sent yet."
    )
    yes = request.decisions.filter(verdict=states.APPROVE, taken_back=None)
    gave = User.objects.filter(pk__in=yes.values("user_id")).order_by("pk")
    people = dict.fromkeys([*gave, *notices.owners(request.tenant, request.run.task_type)])
    return min(1, outbox.put(request.tenant, people, _matter(UNSENT, request, text)))


def _forget_used(limit: int) -> None:
    """The door that uses an approval up tells nobody: it must be quick."""
    stands = ApprovalRequest.objects.filter(
        pk=Cast(Substr(OuterRef("subject"), len("request:") + 1), UUIDField()),
        state=states.APPROVED,
    )
    waiting = Notification.objects.filter(kind=UNSENT, state=Notification.State.WAITING)
    used = waiting.filter(~Exists(stands)).order_by("pk").values_list("subject", flat=True)
    for subject in list(used[:limit]):
        outbox.forget(subject)


def _handing(given: HandOver) -> Matter:
    text = _("%(who)s asks you to decide a request of “%(task)s” at %(tenant)s to use %(tool)s.")
    return _matter(HANDED, given.request, text, who=str(given.given_by))


def _asked_people(request: ApprovalRequest) -> list[User]:
    try:
        return judging.eligible(request)
    except ApprovalError:
        return []  # a damaged request is nobody's to decide, and its page says so


def _matter(kind: str, request: ApprovalRequest, text: str, **more: str) -> Matter:
    facts = {
        "task": request.run.task_type,
        "tenant": request.tenant.name,
        "tool": request.tool,
        "n": settings.KEDGE_ESCALATE_MINUTES,
    }
    path = reverse("approvals:request", args=[request.tenant.slug, request.pk])
    return Matter(kind, _subject(request), path, hiding.text(text % (facts | more)))


def _subject(request: ApprovalRequest) -> str:
    return f"request:{request.pk}"
