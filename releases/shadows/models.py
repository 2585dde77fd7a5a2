"""The table of comparisons: what a twin did beside its live run, kept as it ended."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from checkpoints.models import Run
from releases.shadows.comparing import KINDS
from tenants.models import Tenant

WORD = 16


class Compared(models.Model):
    """One twin, compared once. Append-only.

    `effects` lists one object per effect (`comparing.Judged`); which parameters differ stands there,
    never what they are. Tokens and ms of the live run stand beside the twin's; None: not known.
    """

    run = models.OneToOneField(
        Run, primary_key=True, on_delete=models.PROTECT, related_name="compared"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    release = models.ForeignKey(
        "releases.Release", on_delete=models.PROTECT, related_name="compared", db_index=False
    )
    live = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=WORD)
    effects = models.JSONField(default=list)
    same_path = models.BooleanField()
    tokens = models.IntegerField(null=True)
    live_tokens = models.IntegerField(null=True)
    ms = models.BigIntegerField(null=True)
    live_ms = models.BigIntegerField(null=True)
    ended = models.CharField(max_length=WORD)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "releases"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=KINDS), name="a_comparison_is_of_a_known_kind"
            ),
            models.CheckConstraint(
                condition=Q(ended__in=["at_end", "at_effect", "in_trouble"]),
                name="a_comparison_says_how_its_twin_ended",
            ),
        ]
        indexes = [models.Index(fields=["release", "kind", "-run"], name="compared_by_kind")]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.kind}"
