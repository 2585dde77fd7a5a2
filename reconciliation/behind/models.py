"""That record and world went apart: what was noticed, and each line of the journal the record lacks."""

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

# What the record lacks of a line.
ATTEMPT: Final = "attempt"
ACTION: Final = "action"
RUN: Final = "run"
LACKS: Final = (ATTEMPT, ACTION, RUN)

# What the tool said of it, asked with what the line has.
THERE: Final = "there"
NOT_THERE: Final = "not_there"
VOIDED: Final = "voided"
UNANSWERED: Final = "unanswered"
CANNOT_BE_ASKED: Final = "cannot_be_asked"
FOUND: Final = ("", THERE, NOT_THERE, VOIDED, UNANSWERED, CANNOT_BE_ASKED)

# What became of it, as far as the record goes; "" while it is open.
OPEN: Final = ""
HAPPENED: Final = "happened"
DID_NOT_HAPPEN: Final = "did_not_happen"
NOBODY_KNOWS: Final = "nobody_knows"
WRITTEN_OFF: Final = "written_off"
BECAME: Final = (OPEN, HAPPENED, DID_NOT_HAPPEN, NOBODY_KNOWS, WRITTEN_OFF)


class Divergence(models.Model):
    """Record and world went apart, so effects stopped by themselves. `codes` says in which ways.

    `seen` is what was there instead of what is stored. It ends as two people lift its stop.
    """

    stop = models.ForeignKey("checkpoints.Stop", on_delete=models.PROTECT, related_name="+")
    codes = models.JSONField(default=list)
    seen = models.JSONField(default=dict)
    noticed_at = models.DateTimeField(db_default=Now())
    noticed_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.UniqueConstraint(
                models.Value(1), condition=Q(ended_at=None), name="one_divergence_is_open"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by="")
                | (Q(ended_at__isnull=False) & ~Q(ended_by="")),
                name="an_ended_divergence_names_who_ended_it",
            ),
        ]

    def __str__(self) -> str:
        return f"{', '.join(self.codes)} since {self.noticed_at}"


class MissingLine(models.Model):
    """A line of the journal that the record lacks: an effect that may be in the world.

    `line` is the line as it stands in the journal. The columns beside it are what pages and
    queries need of it; `tenant` is empty where the record has lost the tenant too.
    """

    divergence = models.ForeignKey(Divergence, on_delete=models.PROTECT, related_name="lines")
    attempt_id = models.UUIDField(unique=True)
    tenant = models.ForeignKey(
        "tenants.Tenant", null=True, on_delete=models.PROTECT, related_name="+"
    )
    run_id = models.UUIDField()
    action_id = models.UUIDField()
    tool = models.CharField(max_length=64)
    target = models.TextField()
    sent_at = models.DateTimeField()
    line = models.JSONField()
    lacks = models.CharField(max_length=8)
    noticed_at = models.DateTimeField(db_default=Now())

    found = models.CharField(max_length=16, blank=True, default="")
    said = models.TextField(blank=True, default="")
    asked_at = models.DateTimeField(null=True)
    # This machine's own clock as it was first asked: absent is believed by both clocks (rule 8).
    boot_id = models.CharField(max_length=36, blank=True, default="")
    boot_seconds = models.FloatField(null=True)

    became = models.CharField(max_length=16, blank=True, default=OPEN)
    reason = models.TextField(blank=True, default="")
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.CheckConstraint(
                condition=Q(lacks__in=LACKS, found__in=FOUND, became__in=BECAME),
                name="what_became_of_a_missing_line_is_known",
            ),
            models.CheckConstraint(
                condition=Q(became=OPEN, settled_at=None, settled_by=None, reason="")
                | (~Q(became=OPEN) & Q(settled_at__isnull=False) & ~Q(reason="")),
                name="a_settled_line_says_when_and_why",
            ),
            models.CheckConstraint(
                condition=~Q(lacks=RUN) | Q(became=OPEN) | Q(settled_by__isnull=False),
                name="a_run_that_is_lost_is_settled_by_a_person",
            ),
        ]
        indexes = [
            models.Index(fields=["divergence", "became", "id"], name="missing_lines_in_order"),
            models.Index(fields=["tenant", "-id"], name="missing_lines_by_tenant"),
            models.Index(fields=["run_id"], name="missing_lines_by_run"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.target} at {self.sent_at}"


class JournalMark(models.Model):
    """Up to which line the record was compared with its journal, one row.

    `place` is which journal it is; `seq` and `digest` are of its last line that was compared, `at`
    where that ends in the journal, `receipt` the newest receipt that was looked for in it.
    """

    only = models.BooleanField(primary_key=True, default=True)
    place = models.TextField(blank=True, default="")
    seq = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True, default="")
    at = models.TextField(blank=True, default="")
    receipt = models.BigIntegerField(default=0)
    compared_at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.CheckConstraint(condition=Q(only=True), name="there_is_one_journal"),
        ]

    def __str__(self) -> str:
        return f"{self.place} up to {self.seq}"
