"""Problems: what is wrong as one thing, which runs count to it, and what people did about it.

What a problem is never changes, and who did what about it is only added to; its state is read from
that and from the runs (`reading`). The runs that count to it are kept up by `sorting`.
"""

from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from checkpoints.ids import uuid7
from checkpoints.models import Case, Combo, Run
from tenants.models import Tenant

# Why a run counts to a problem.
CASE: Final = "case"  # a person is needed, or the verdict is not proven yet
UNKNOWN: Final = "unknown"  # an outcome that is being asked for
RETRY: Final = "retry"  # it is tried again by itself
FAILURE: Final = "failure"  # it ended as failed
WHATS: Final = (CASE, UNKNOWN, RETRY, FAILURE)

SNOOZED: Final = "snoozed"
WOKEN: Final = "woken"
RESOLVED: Final = "resolved"
REOPENED: Final = "reopened"
CHANGES: Final = (SNOOZED, WOKEN, RESOLVED, REOPENED)


class Problem(models.Model):
    """One fingerprint at one tenant: kind, task type, node, tool, normalised error."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    fingerprint = models.CharField(max_length=64)
    kind = models.CharField(max_length=48)
    task_type = models.CharField(max_length=64)
    node = models.CharField(max_length=64, blank=True)
    tool = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)
    first_seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "fingerprint"], name="one_problem_per_fingerprint_and_tenant"
            ),
            models.CheckConstraint(
                condition=Q(fingerprint__regex=r"^[0-9a-f]{64}$"),
                name="a_fingerprint_of_a_problem_is_a_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.task_type}"


class ProblemRun(models.Model):
    """One run that counts to a problem, from when it was seen until it is over.

    `amount` is in whole minor units of `currency`. Without foreign keys to the run and the case:
    their rows are locked by those who work, and sorting must make nobody wait.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    problem = models.ForeignKey(
        Problem, on_delete=models.PROTECT, related_name="runs", db_index=False
    )
    run = models.ForeignKey(
        Run, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+", db_index=False)
    case = models.ForeignKey(
        Case,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    what = models.CharField(max_length=8)
    action_id = models.UUIDField(null=True)
    currency = models.CharField(max_length=8, blank=True, default="")
    amount = models.BigIntegerField(default=0)
    recipients = models.BigIntegerField(default=0)
    head = models.BigIntegerField()
    since = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    over_at = models.DateTimeField(null=True)

    OPEN: ClassVar = Q(over_at=None)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(what__in=WHATS), name="why_a_run_counts_is_known"),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(over_at=None),
                name="a_run_counts_to_one_problem_at_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "problem", "combo"],
                condition=Q(over_at=None),
                include=["what", "since", "decided_at", "currency", "amount", "recipients"],
                name="problems_counted",
            ),
            models.Index(
                fields=["problem", "-id"], condition=Q(over_at=None), name="runs_of_a_problem"
            ),
            models.Index(fields=["problem", "since"], name="problem_runs_over_time"),
            models.Index(
                fields=["what", "since"],
                condition=Q(over_at=None, what__in=[UNKNOWN, RETRY, FAILURE]),
                name="problem_runs_that_may_be_over",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} counts to {self.problem_id}"


class ProblemChange(models.Model):
    """What a person did about a problem, and why. Append-only: the newest of a kind holds.

    *snoozed* lasts until `until` or until more than `rate` runs in an hour, whichever comes first;
    *resolved* is for one combo, and covers the failures there that were seen before it.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    problem = models.ForeignKey(Problem, on_delete=models.PROTECT, related_name="changes")
    what = models.CharField(max_length=8)
    combo = models.ForeignKey(
        Combo, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    until = models.DateTimeField(null=True)
    rate = models.IntegerField(null=True)
    reason = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(what__in=CHANGES) & ~Q(reason=""),
                name="a_change_of_a_problem_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(what=SNOOZED, combo__isnull=True)
                & (Q(until__isnull=False) | Q(rate__isnull=False))
                & (Q(rate__isnull=True) | Q(rate__gte=0))
                | Q(what=WOKEN, combo__isnull=True, until__isnull=True, rate__isnull=True)
                | Q(
                    what__in=[RESOLVED, REOPENED],
                    combo__isnull=False,
                    until__isnull=True,
                    rate__isnull=True,
                ),
                name="a_change_of_a_problem_says_for_what",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "problem", "-id"], name="problem_changes_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.problem_id}"


class Unsorted(models.Model):
    """A run whose trouble may have changed, written by triggers with the change itself."""

    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    run_id = models.UUIDField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "id"], name="unsorted_by_tenant")]

    def __str__(self) -> str:
        return str(self.run_id)
