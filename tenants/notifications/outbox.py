"""The outbox: filled in the transaction of the verb that made something true, emptied by `sending`."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings

from canonical.redaction import Said
from tenants import clock
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.notifications.models import Notification, NotificationChoice
from tenants.notifications.schedule import Wish, not_before

MAIL: Final = "mail"
WEBHOOK: Final = "webhook"
MOST_PEOPLE: Final = 200


@dataclass(frozen=True)
class Matter:
    """What people are told: `text` is one redacted sentence, `path` the page it is about.

    `subject` ("request:<id>") with `kind` names it: nobody is told the same twice on one channel.
    """

    kind: str
    subject: str
    path: str
    text: Said


def put(tenant: Tenant | None, people: Iterable[User], matter: Matter) -> int:
    """Tell these people, each on the channels they chose; returns how many rows that made.

    In the caller's transaction: what is rolled back is told to nobody.
    """
    told = list(people)[:MOST_PEOPLE]
    if not settings.KEDGE_NOTIFICATIONS or not told:
        return 0
    choices = {
        choice.person_id: choice for choice in NotificationChoice.objects.filter(person__in=told)
    }
    now = clock.now()  # judged by it when it is sent
    rows = [
        row
        for person in told
        for row in _rows(tenant, choices.get(person.pk, NotificationChoice(person=person)), now)
    ]
    for row in rows:
        row.kind, row.subject = matter.kind, matter.subject
        row.path, row.text = matter.path, hiding.said(matter.text)
    Notification.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def insist(person: User, matter: Matter) -> int:
    """Tell one person by mail and at once, whatever they chose: what may not go unnoticed.

    In the caller's transaction. Returns how many rows that made.
    """
    if not settings.KEDGE_NOTIFICATIONS:
        return 0
    told = {"kind": matter.kind, "subject": matter.subject, "path": matter.path}
    row = Notification(
        person=person,
        channel=MAIL,
        not_before=clock.now(),
        text=hiding.said(matter.text),
        **told,
    )
    return len(Notification.objects.bulk_create([row], ignore_conflicts=True))


def unsay(person: User, matter: Matter) -> int:
    """One person need not be told any more: take back what has not gone out, as if never said."""
    same = Notification.objects.filter(person=person, kind=matter.kind, subject=matter.subject)
    return same.filter(state=Notification.State.WAITING).delete()[0]


def forget(subject: str) -> int:
    """Nobody needs to be told any more: drop what waits about a matter. Returns how many rows."""
    if not settings.KEDGE_NOTIFICATIONS:
        return 0
    waiting = Notification.objects.filter(subject=subject, state=Notification.State.WAITING)
    return waiting.update(state=Notification.State.DROPPED, error="settled before it was sent")


def _rows(tenant: Tenant | None, choice: NotificationChoice, now: datetime) -> list[Notification]:
    wish = Wish(choice.digest, choice.quiet_from, choice.quiet_until, choice.zone)
    channels = [MAIL] if choice.by_mail else []
    channels += [WEBHOOK] if choice.webhook else []
    at = not_before(wish, now)
    return [
        Notification(tenant=tenant, person_id=choice.person_id, channel=channel, not_before=at)
        for channel in channels
    ]
