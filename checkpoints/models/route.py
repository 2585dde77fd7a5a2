"""Which combo new runs of a task type get at one tenant: one row, the lock that starts and moves share.

And the business keys that people send to one arm by hand.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.arms import PLACES
from checkpoints.models.run import Combo
from tenants.models import Tenant


class Route(models.Model):
    """New runs get `stable`, but for the share that the `candidate` takes; shares are of `PLACES`.

    A start holds the row shared while it chooses, a move holds it alone (rule 21). Runs that
    nobody called critical go first: `share` is theirs, and `share_of_critical` never above it.
    While a candidate stays its salt stays, so a business key stays in its arm.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    task_type = models.CharField(max_length=64)
    stable = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    candidate = models.ForeignKey(Combo, null=True, on_delete=models.PROTECT, related_name="+")
    share = models.IntegerField(default=0)
    share_of_critical = models.IntegerField(default=0)
    salt = models.CharField(max_length=64, blank=True, default="")
    moved_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "task_type"], name="one_route_per_tenant_and_task_type"
            ),
            models.CheckConstraint(
                condition=Q(share_of_critical__gte=0)
                & Q(share__gte=F("share_of_critical"))
                & Q(share__lte=PLACES),
                name="critical_runs_go_last",
            ),
            models.CheckConstraint(
                condition=Q(candidate__isnull=False) & ~Q(salt="") | Q(share=0),
                name="a_share_is_of_a_candidate_and_its_salt",
            ),
            models.CheckConstraint(
                condition=~Q(candidate=F("stable")), name="a_candidate_is_not_the_stable_combo"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_type}: {self.stable}"


class Override(models.Model):
    """A business key that a person sends to one arm of a canary, whatever the shares say; it ends once.

    Without a candidate every key gets what is stable. Gates compare no run that was sent by hand. Who,
    what and why never change (`migrations/0017_overrides.sql`).
    """

    STABLE, CANDIDATE = "stable", "candidate"

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    task_type = models.CharField(max_length=64)
    business_key = models.CharField(max_length=200)
    arm = models.CharField(max_length=16)
    why = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "task_type", "business_key"],
                condition=Q(ended_at=None),
                name="one_override_per_business_key",
            ),
            models.CheckConstraint(
                condition=Q(arm__in=["stable", "candidate"]), name="an_override_names_an_arm"
            ),
            models.CheckConstraint(
                condition=~Q(why="") & ~Q(business_key=""), name="an_override_says_for_what_and_why"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by=None)
                | Q(ended_at__isnull=False, ended_by__isnull=False),
                name="an_ended_override_says_by_whom",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "task_type", "business_key"], name="overrides_by_business_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.business_key}: {self.arm}"
