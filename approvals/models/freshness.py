"""The table of looks: what the newest dry run of a waiting request found, and when the next is due."""

from datetime import timedelta
from typing import Final

from django.db import models
from django.db.models import Q

from tenants.models import Tenant

# After that the tool's own pace counts.
FIRST_LOOK: Final = timedelta(seconds=10)

# What the newest dry run that could be made showed, against what people were shown.
EQUAL: Final = "equal"
MOVED: Final = "moved"
VERDICTS: Final = (EQUAL, MOVED)


class Freshness(models.Model):
    """One row per request, written anew with each look; it says nothing once the request is closed.

    `seen_at` is when the world was last seen, at first by the dry run that was asked about;
    `error` says why the newest look saw nothing ("" when it did), for the `failures`-th time in a
    row. `differences` is a list of {field, saw, now}; `files` names the files about which the two
    diffs differ, None when they are not diffs of files. `claim` is the token of whoever looks now.
    """

    request = models.OneToOneField(
        "approvals.ApprovalRequest",
        primary_key=True,
        on_delete=models.PROTECT,
        related_name="freshness",
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    verdict = models.CharField(max_length=8, default=EQUAL)
    seen_at = models.DateTimeField()
    differences = models.JSONField(default=list)
    files = models.JSONField(null=True)
    error = models.TextField(blank=True, default="")
    failures = models.IntegerField(default=0)
    due_at = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=VERDICTS), name="freshness_verdict_is_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict=EQUAL, differences=[])
                | (Q(verdict=MOVED) & ~Q(differences=[])),
                name="what_moved_is_named",
            ),
            models.CheckConstraint(
                condition=Q(claim__isnull=True, claimed_until__isnull=True)
                | Q(claim__isnull=False, claimed_until__isnull=False),
                name="a_look_is_claimed_until_some_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tool", "due_at"],
                condition=Q(due_at__isnull=False),
                name="looks_due_by_tool",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.verdict}"
