"""The outbox of notifications, and how each person wants to get them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class NotificationChoice(models.Model):
    """How one person wants to be told. Without a row: by mail, at once, at any hour.

    `webhook` is a secret of the person, sealed under their key (`tenants.keys.people`): whoever
    knows the address can write into their channel.
    Quiet hours are times of day in `zone` and may pass midnight.
    """

    class Digest(models.TextChoices):
        AT_ONCE = "at_once"
        HOURLY = "hourly"
        DAILY = "daily"

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+"
    )
    by_mail = models.BooleanField(default=True)
    webhook = models.TextField(blank=True, default="")
    digest = models.CharField(max_length=16, default=Digest.AT_ONCE)
    quiet_from = models.TimeField(null=True)
    quiet_until = models.TimeField(null=True)
    zone = models.CharField(max_length=64, default="UTC")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__in=["at_once", "hourly", "daily"]), name="digest_is_known"
            ),
            models.CheckConstraint(
                condition=Q(quiet_from=None, quiet_until=None)
                | Q(quiet_from__isnull=False, quiet_until__isnull=False),
                name="quiet_hours_begin_and_end",
            ),
        ]

    def __str__(self) -> str:
        return f"choices of {self.person_id}"


class Notification(models.Model):
    """One thing to tell one person on one channel, written by the verb that made it true.

    `text` is redacted when it is written: no diff, no parameters, no business key. `subject` names
    the matter ("request:<id>"). `not_before` is also the claim of a sender that is at it.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"
        DROPPED = "dropped"

    tenant = models.ForeignKey(
        "tenants.Tenant", null=True, on_delete=models.PROTECT, related_name="+"
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    channel = models.CharField(max_length=16)
    kind = models.CharField(max_length=32)
    subject = models.TextField()
    path = models.TextField()
    text = models.TextField()
    made_at = models.DateTimeField(db_default=Now())
    not_before = models.DateTimeField()
    state = models.CharField(max_length=16, default=State.WAITING, db_default=State.WAITING)
    sent_at = models.DateTimeField(null=True)
    tries = models.IntegerField(default=0, db_default=0)
    error = models.TextField(blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "channel", "kind", "subject"],
                name="a_person_is_told_once_per_channel_and_matter",
            ),
            models.CheckConstraint(
                condition=Q(channel__in=["mail", "webhook"]), name="channel_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="sent", sent_at__isnull=False)
                | Q(state__in=["waiting", "failed", "dropped"], sent_at=None),
                name="a_notification_is_sent_iff_it_has_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["not_before"], condition=Q(state="waiting"), name="notifications_due"
            ),
            models.Index(fields=["subject"], name="notifications_by_subject"),
            models.Index(fields=["person", "-id"], name="notifications_of_person_newest"),
            models.Index(
                fields=["-id"], condition=Q(state="failed"), name="notifications_failed_newest"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.person_id} by {self.channel} ({self.state})"
