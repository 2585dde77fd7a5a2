"""Alert rules of a tenant, and each time one went off. A rule only ever gets its end."""

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.models import Tenant

RUNS: Final = "runs"
UNKNOWN: Final = "unknown"
AMOUNT: Final = "amount"
RECIPIENTS: Final = "recipients"
MINUTES: Final = "minutes"
MEASURES: Final = (RUNS, UNKNOWN, AMOUNT, RECIPIENTS, MINUTES)


class AlertRule(models.Model):
    """Tell the owners when `measure` of a problem is over a bound.

    `kind` and `task_type` narrow which problems; "" is every one. *amount* is in whole minor units
    of whichever currency has most, *minutes* since a person was needed first.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=48, blank=True, default="")
    task_type = models.CharField(max_length=64, blank=True, default="")
    measure = models.CharField(max_length=16)
    over = models.BigIntegerField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "execution"
        constraints = [
            models.CheckConstraint(
                condition=Q(measure__in=MEASURES), name="alert_measure_is_known"
            ),
            models.CheckConstraint(condition=Q(over__gte=0), name="an_alert_has_a_bound"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by=None)
                | Q(ended_at__isnull=False, ended_by__isnull=False),
                name="an_ended_alert_says_by_whom",
            ),
            models.UniqueConstraint(
                fields=["tenant", "kind", "task_type", "measure", "over"],
                condition=Q(ended_at=None),
                name="one_alert_of_the_same",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.measure} over {self.over}"


class Alarm(models.Model):
    """One time a rule went off for one problem; over when it is under the bound again."""

    rule = models.ForeignKey(AlertRule, on_delete=models.PROTECT, related_name="alarms")
    fingerprint = models.CharField(max_length=64)
    value = models.BigIntegerField()
    began_at = models.DateTimeField(db_default=Now())
    over_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "execution"
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "fingerprint"],
                condition=Q(over_at=None),
                name="an_alert_goes_off_once",
            ),
        ]
        indexes = [models.Index(fields=["rule", "-id"], name="alarms_newest")]

    def __str__(self) -> str:
        return f"{self.rule} for {self.fingerprint[:8]}"
