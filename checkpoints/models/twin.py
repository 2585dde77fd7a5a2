"""Shadow runs beside live ones, and what the dry run of each of their effects showed."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.models.run import Run
from tenants.models import Tenant

MODE = 8


class Twin(models.Model):
    """A shadow run with the input of a live one, under another combo. Append-only.

    `series` is what it is compared for (a release). `dies_at` makes it a drill: its worker is
    killed once, after this checkpoint. `mode` is its run's, which can never become another.
    """

    run = models.OneToOneField(Run, primary_key=True, on_delete=models.PROTECT, related_name="twin")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    twin_of = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="twins")
    series = models.UUIDField()
    dies_at = models.BigIntegerField(null=True)
    mode = models.CharField(max_length=MODE, default=states.SHADOW_MODE)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["series", "twin_of"], name="a_run_has_one_twin_per_series"
            ),
            models.CheckConstraint(
                condition=Q(mode=states.SHADOW_MODE) & ~Q(run=F("twin_of")),
                name="a_twin_is_a_shadow_of_another_run",
            ),
            models.CheckConstraint(
                condition=Q(dies_at__isnull=True) | Q(dies_at__gte=1),
                name="a_drill_strikes_after_a_checkpoint",
            ),
        ]
        indexes = [models.Index(fields=["series", "-run"], name="twins_of_a_series")]

    def __str__(self) -> str:
        return f"{self.run_id} beside {self.twin_of_id}"


class ShadowDryRun(models.Model):
    """What an effect of a shadow would have changed, as a person would have been shown. Append-only.

    `reversibility` is the class of the tool at the tenant, `resources` what was looked at, with its
    version. `before` tells that the live run had not sent the same effect yet.
    """

    action_id = models.UUIDField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="dry_runs")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    mode = models.CharField(max_length=MODE, default=states.SHADOW_MODE)
    reversibility = models.CharField(max_length=16, blank=True)
    diff = models.BinaryField()
    media = models.CharField(max_length=64)
    diff_digest = models.CharField(max_length=64)
    resources = models.JSONField(default=dict)
    before = models.BooleanField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(mode=states.SHADOW_MODE), name="only_a_shadow_keeps_its_dry_runs"
            ),
        ]

    def __str__(self) -> str:
        return f"dry run of {self.action_id}"
