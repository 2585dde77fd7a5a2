"""Which of our processes are alive, as they say themselves; shown on the System page."""

from django.db import models
from django.db.models.functions import Now

from execution.alerts.models import Alarm, AlertRule  # noqa: F401 - tables of ours
from execution.plans.models import Plan, PlanItem, PlanOrder  # noqa: F401 - tables of ours
from execution.problems.models import (  # noqa: F401 - tables of ours
    Problem,
    ProblemChange,
    ProblemRun,
    Unsorted,
)


class Process(models.Model):
    """One worker or sweeper. Nothing is decided by these rows: leases decide."""

    name = models.CharField(max_length=100, primary_key=True)
    kind = models.CharField(max_length=16)
    pid = models.IntegerField()
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    facts = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.name
