"""Who is told what about cases and stops, and the owner of a task type when nobody comes.

Texts name the task type and the tenant and nothing of the run: no input, no key, no sentence.
"""

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat, Now
from django.urls import reverse
from django.utils.translation import gettext as _

from checkpoints.errors import UnknownTaskTypeError
from checkpoints.models import Case, Claim, Stop
from checkpoints.registry import graph_of
from tenants import access
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.notifications import outbox
from tenants.notifications.models import Notification
from tenants.notifications.outbox import Matter

UNCLAIMED = "unclaimed"


def case_opened(case: Case, task_type: str) -> None:
    """Tell those who may give a verdict; in the transaction that opened the case."""
    if not settings.KEDGE_NOTIFICATIONS:
        return
    text = _("A run of “%(task)s” at %(tenant)s is on hold and needs a verdict.")
    outbox.put(
        case.tenant,
        access.holders(case.tenant, "reconcile_actions"),
        _matter("case_opened", case, text % {"task": task_type, "tenant": case.tenant.name}),
    )


def case_opened_again(case: Case, task_type: str) -> None:
    """Tell them again, each time; in the transaction that opened the case again."""
    if not settings.KEDGE_NOTIFICATIONS:
        return
    text = _("A run of “%(task)s” at %(tenant)s was decided and needs a verdict again.")
    kind = f"case_opened_again_{case.verdicts.count()}"
    outbox.put(
        case.tenant,
        access.holders(case.tenant, "reconcile_actions"),
        _matter(kind, case, text % {"task": task_type, "tenant": case.tenant.name}),
    )


def case_handed_over(case: Case, given: Claim) -> None:
    """Tell a colleague that a case is theirs now; in the transaction of the hand-over."""
    if not settings.KEDGE_NOTIFICATIONS:
        return
    text = _("%(who)s handed a case at %(tenant)s over to you.")
    said = text % {"who": given.handed_by, "tenant": case.tenant.name}
    # Handed over again, they are told again.
    outbox.put(case.tenant, [given.holder], _matter(f"case_handed_over_{given.pk}", case, said))


def case_settled(case: Case) -> None:
    """Nobody needs to be told of this case any more."""
    outbox.forget(f"case:{case.pk}")


def stopped(stop: Stop, actor: Actor) -> None:
    """Tell those who operate runs in the stop's scope, but for who set it."""
    if not settings.KEDGE_NOTIFICATIONS:
        return
    where = stop.tenant.name if stop.tenant else _("the whole installation")
    what = _("effects") if stop.lock == "effects" else _("new runs")
    page = settings.NOTICE_PAGES["stop"]
    path = reverse(page, args=[stop.tenant.slug]) if stop.tenant else reverse("system")
    # Not "stopped": that is said only when the calls that were out are reconciled.
    text = _("%(who)s set a stop on %(what)s at %(where)s.")
    said = hiding.text(text % {"what": what, "where": where, "who": stop.stopped_by})
    people = [
        user for user in access.holders(stop.tenant, "operate_runs") if user.pk != actor.user_id
    ]
    outbox.put(stop.tenant, people, Matter("stop_set", f"stop:{stop.pk}", path, said))


def escalate_cases(limit: int) -> int:
    """Tell the owners about cases that nobody decided in time, each once; returns how many."""
    if not settings.KEDGE_NOTIFICATIONS:
        return 0
    late = Case.objects.filter(
        decided_at=None,
        closed_at=None,
        opened_at__lt=Now() - timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES),
    ).filter(~Exists(told(UNCLAIMED, "case", OuterRef("pk"))))
    found = late.select_related("tenant").annotate(task=F("run__task_type")).order_by("pk")
    return sum(_escalate(case, case.task) for case in found[:limit])


def told(kind: str, of: str, key: OuterRef) -> QuerySet[Notification]:
    """The rows by which people were told already, for a query. Index: notifications_by_subject."""
    subject = Concat(Value(f"{of}:"), Cast(key, TextField()))
    return Notification.objects.filter(kind=kind, subject=subject)


def owners(tenant: Tenant, task_type: str) -> list[User]:
    """Who owns a task type at a tenant: the person or group its manifest or the practice names.

    An owner that names nobody with a right there is nobody's: then whoever manages the tenant.
    """
    try:
        named = graph_of(task_type).manifest.owner
    except UnknownTaskTypeError:
        named = None
    found = access.named(tenant, named or settings.PRACTICE["owner"])
    return found or access.holders(tenant, "manage_tenant")


def _escalate(case: Case, task_type: str) -> int:
    text = _("Nobody has decided a case of “%(task)s” at %(tenant)s for %(n)d minutes.")
    numbers = {"n": settings.KEDGE_ESCALATE_MINUTES}
    said = text % {"task": task_type, "tenant": case.tenant.name, **numbers}
    people = owners(case.tenant, task_type)
    return min(1, outbox.put(case.tenant, people, _matter(UNCLAIMED, case, said)))


def _matter(kind: str, case: Case, text: str) -> Matter:
    path = reverse(settings.NOTICE_PAGES["case"], args=[case.tenant.slug, case.pk])
    return Matter(kind, f"case:{case.pk}", path, hiding.text(text))
