"""What a provider reported and how it was matched: added once, with the file itself as evidence."""

import uuid
from typing import Final

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from reconciliation.reports.matching import (
    ABSENT,
    DIFFERENT,
    KINDS,
    MATCHED,
    UNKNOWN_TO_US,
    UNREADABLE,
)

WITH_EFFECT: Final = (MATCHED, DIFFERENT, ABSENT)


class ColumnMap(models.Model):
    """How the columns of one tool's reports are read at one tenant: the newest counts."""

    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    columns = models.JSONField()
    made_by = models.ForeignKey("tenants.User", on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "reconciliation"
        indexes = [models.Index(fields=["tenant", "tool", "-id"], name="column_maps_newest")]

    def __str__(self) -> str:
        return f"columns of {self.tool}"


class Draft(models.Model):
    """A file that somebody uploaded and has not matched yet: one per person, the last one counts."""

    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey("tenants.User", on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    content = models.BinaryField()
    since = models.DateTimeField()
    until = models.DateTimeField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "reconciliation"
        db_table = "reconciliation_reportdraft"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "by"], name="one_draft_of_a_report_each")
        ]

    def __str__(self) -> str:
        return self.name


class Report(models.Model):
    """One report of a provider. `content` is the file, encrypted under the tenant's key.

    `digest` is of the file's own bytes; the same file is taken in once. Each of its lines is of
    one kind, so the counts add up to `lines`; what is absent stands on no line.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, related_name="+")
    number = models.IntegerField()
    tool = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    media = models.CharField(max_length=32)
    content = models.BinaryField()
    size = models.IntegerField()
    digest = models.BinaryField()
    mapped = models.ForeignKey(ColumnMap, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()
    until = models.DateTimeField()
    lines = models.IntegerField()
    matched = models.IntegerField()
    different = models.IntegerField()
    unknown_to_us = models.IntegerField()
    unreadable = models.IntegerField()
    absent = models.IntegerField()
    # For each kind the sums per currency, in minor units.
    sums = models.JSONField(default=dict)
    taken_in_by = models.ForeignKey("tenants.User", on_delete=models.PROTECT, related_name="+")
    taken_in_at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "number"], name="reports_are_numbered"),
            models.UniqueConstraint(
                fields=["tenant", "tool", "digest", "mapped", "since", "until"],
                name="one_report_per_file_and_reading",
            ),
            models.CheckConstraint(
                condition=Q(
                    lines=F("matched") + F("different") + F("unknown_to_us") + F("unreadable")
                ),
                name="every_line_of_a_report_is_of_one_kind",
            ),
            models.CheckConstraint(condition=Q(since__lt=F("until")), name="a_report_covers_time"),
        ]

    def __str__(self) -> str:
        return f"R-{self.number}"


class ReportLine(models.Model):
    """What became of one line, or (`number` 0) of one effect that no line names.

    Of the provider's own words nothing is kept here: they stand in the file, encrypted.
    """

    report = models.ForeignKey(Report, on_delete=models.PROTECT, related_name="found")
    number = models.IntegerField()
    kind = models.CharField(max_length=16)
    action = models.ForeignKey(
        "reconciliation.Action", null=True, on_delete=models.PROTECT, related_name="+"
    )
    amount = models.BigIntegerField(null=True)
    currency = models.CharField(max_length=8, blank=True)
    at = models.DateTimeField(null=True)
    said = models.TextField()
    # Nobody knew what became of the effect, and the line says that it happened.
    answers = models.BooleanField(default=False)

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="report_kind_is_known"),
            models.CheckConstraint(
                condition=Q(kind__in=WITH_EFFECT, action__isnull=False)
                | Q(kind__in=[UNKNOWN_TO_US, UNREADABLE], action__isnull=True),
                name="a_line_names_its_effect_by_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind=ABSENT, number=0) | (~Q(kind=ABSENT) & Q(number__gt=0)),
                name="only_what_is_absent_stands_on_no_line",
            ),
            models.CheckConstraint(
                condition=Q(answers=False) | Q(kind=MATCHED), name="only_a_match_answers"
            ),
            models.UniqueConstraint(
                fields=["report", "number"], condition=Q(number__gt=0), name="one_kind_per_line"
            ),
            models.UniqueConstraint(
                fields=["report", "action"],
                condition=Q(kind__in=[MATCHED, ABSENT]),
                name="an_effect_is_matched_once",
            ),
        ]
        indexes = [
            models.Index(fields=["report", "kind", "id"], name="report_lines_by_kind"),
            models.Index(fields=["action"], name="report_lines_of_an_action"),
        ]

    def __str__(self) -> str:
        return f"line {self.number}: {self.kind}"
