"""Empties the outbox: claims what is due, tells each person once per channel, keeps what failed.

Told at least once: a sender that dies after the mail server answered leaves the claim to run out,
and the same message goes out again under the same id.
"""

from collections import defaultdict
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from canonical.redaction import Redacted
from tenants import access
from tenants.keys import hiding
from tenants.keys.errors import KeysError
from tenants.models import User
from tenants.notifications import choosing, mails, webhooks
from tenants.notifications.models import Notification, NotificationChoice
from tenants.notifications.outbox import MAIL

MOST_TRIES: Final = 8
MOST_LINES: Final = 20
KEPT_DAYS: Final = 90

# One statement: two senders never get the same row. The claim is the later `not_before`.
# Index: notifications_due.
CLAIM = """
WITH due AS (
    SELECT id FROM tenants_notification
     WHERE state = 'waiting' AND not_before <= clock_timestamp()
     ORDER BY not_before LIMIT %s FOR UPDATE SKIP LOCKED)
UPDATE tenants_notification AS row
   SET not_before = clock_timestamp() + interval '5 minutes', tries = tries + 1
  FROM due WHERE row.id = due.id
RETURNING row.id
"""


def is_due() -> bool:
    """True if something waits whose time has come."""
    waiting = Notification.objects.filter(state=Notification.State.WAITING)
    return settings.KEDGE_NOTIFICATIONS and waiting.filter(not_before__lte=Now()).exists()


def send_due(limit: int = 20) -> int:
    """Send up to `limit` rows; returns how many went out. Outside any transaction."""
    groups: defaultdict[tuple[int, str], list[Notification]] = defaultdict(list)
    for row in _claimed(limit):
        groups[row.person_id, row.channel].append(row)
    return sum(_tell(rows) for rows in groups.values())


def prune() -> int:
    """Delete what was settled long ago; returns how many rows."""
    old = Notification.objects.filter(made_at__lt=Now() - timedelta(days=KEPT_DAYS))
    ids = old.exclude(state=Notification.State.WAITING).values_list("pk", flat=True)[:1000]
    return Notification.objects.filter(pk__in=list(ids)).delete()[0]


def _claimed(limit: int) -> list[Notification]:
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [limit])
        ids = [row[0] for row in cursor.fetchall()]
    found = Notification.objects.filter(pk__in=ids).select_related("person", "tenant")
    return list(found.order_by("pk"))


def _tell(rows: list[Notification]) -> int:
    person, channel = rows[0].person, rows[0].channel
    rows = _still_theirs(person, rows)
    if not rows:
        return 0
    try:
        if channel == MAIL:
            _by_mail(person, rows)
        else:
            _by_webhook(person, rows)
    except (mails.MailFailed, webhooks.WebhookFailed, webhooks.WebhookRefused, KeysError) as error:
        for row in rows:
            _failed(row, hiding.text(str(error)))
        return 0
    return _settle(rows, state=Notification.State.SENT, sent_at=Now(), error="")


def _still_theirs(person: User, rows: list[Notification]) -> list[Notification]:
    """Rows about tenants that the person may still see; of the others nobody is told."""
    rights = access.of(person)
    theirs = [
        row
        for row in rows
        if person.is_active and (row.tenant_id is None or rights.may(row.tenant_id, "view_runs"))
    ]
    lost = [row for row in rows if row not in theirs]
    _settle(lost, state=Notification.State.DROPPED, error="no right to see it any more")
    return theirs


def _by_mail(person: User, rows: list[Notification]) -> None:
    subject = ngettext("Kedge: one message", "Kedge: %(n)d messages", len(rows)) % {"n": len(rows)}
    more = _("How you are told: %(url)s") % {"url": f"{settings.KEDGE_URL}/me/notifications/"}
    text = f"{_lines(rows)}\n\n-- \n{more}\n"
    message_id = f"notification-{rows[0].pk}-{rows[-1].pk}"
    mails.send(person.email, hiding.text(subject), hiding.text(text), message_id=message_id)


def _by_webhook(person: User, rows: list[Notification]) -> None:
    choice = NotificationChoice.objects.filter(person=person).first()
    if choice is None or not choice.webhook:
        raise webhooks.WebhookRefused("The webhook was removed.")
    text = _lines(rows)
    # Slack reads <…> as links and calls to everybody; nothing of ours means that.
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, written)
    webhooks.post(choosing.webhook_of(choice), hiding.text(text))


def _lines(rows: list[Notification]) -> str:
    told = [f"{row.text}\n{settings.KEDGE_URL}{row.path}" for row in rows[:MOST_LINES]]
    left = len(rows) - MOST_LINES
    if left > 0:
        told.append(ngettext("%(n)d more.", "%(n)d more.", left) % {"n": left})
    return "\n\n".join(told)


def _failed(row: Notification, error: Redacted) -> None:
    if row.tries >= MOST_TRIES:
        _settle([row], state=Notification.State.FAILED, error=str(error))
        return
    wait = timedelta(minutes=min(2**row.tries, 120))
    _settle([row], not_before=Now() + wait, error=str(error))


def _settle(rows: list[Notification], **columns: object) -> int:
    """Only what still waits: a matter may have been settled while its message was on its way."""
    ids = [row.pk for row in rows]
    waiting = Notification.objects.filter(pk__in=ids, state=Notification.State.WAITING)
    return waiting.update(**columns)
