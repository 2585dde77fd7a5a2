"""The tables of deciding together: a question handed to a colleague, and many answered at once."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from approvals import states
from approvals.clock import ClockTimestamp
from checkpoints.ids import uuid7
from tenants.models import Tenant

MOST_IN_A_BATCH = 100


class HandOver(models.Model):
    """A person asked a named colleague to take a question. Gives no right; only its end is added."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    request = models.ForeignKey(
        "approvals.ApprovalRequest", on_delete=models.PROTECT, related_name="handovers"
    )
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    given_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    note = models.TextField(blank=True, default="")
    at = models.DateTimeField(db_default=ClockTimestamp())
    taken_back_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["request", "given_by", "given_to"],
                condition=Q(taken_back_at__isnull=True),
                name="one_standing_hand_over_between_two_people",
            ),
            models.CheckConstraint(
                condition=~Q(given_by=F("given_to")), name="nobody_hands_over_to_themselves"
            ),
        ]
        indexes = [
            models.Index(
                fields=["given_to"],
                condition=Q(taken_back_at__isnull=True),
                name="standing_hand_overs_to",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.request_id} handed to {self.given_to_id}"


class Batch(models.Model):
    """One answer of one person to many questions: `pairs` are [request id, hash], as posted.

    Append-only. Its id is derived from what was posted and from the page it was posted from, so
    the same press twice is the same batch.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16)
    reason = models.TextField(blank=True, default="")
    pairs = models.JSONField()
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=states.VERDICTS), name="batch_verdict_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {len(self.pairs)}"


class BatchEntry(models.Model):
    """What became of one pair of a batch. Append-only.

    `code` is "" when the answer was counted, else why it was left out, as an error's code or name;
    `told` is the sentence and `told_at` the time it speaks of, as the person reads them.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="entries")
    request = models.ForeignKey(
        "approvals.ApprovalRequest", on_delete=models.PROTECT, related_name="+"
    )
    code = models.CharField(max_length=64, blank=True, default="")
    told = models.TextField()
    told_at = models.DateTimeField(null=True)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "request"], name="one_result_per_batch_and_request"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.code or 'counted'}"
