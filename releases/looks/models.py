"""The table of looks: what was seen of both arms, and what was made of it."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from checkpoints.ids import uuid7
from releases.gates import verdicts
from tenants.models import Tenant

VERDICTS = (verdicts.PROMOTE_ALLOWED, verdicts.HOLD, verdicts.STOP)


class Look(models.Model):
    """One look of the schedule, after one move of a release. Append-only.

    `sample` and `whole` are canonical JSON (`releases.gates.samples`, `releases.gates.verdicts`); by
    the policy of the release the one follows from the other. Looks skipped by a late round stay so.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    release = models.ForeignKey("releases.Release", on_delete=models.PROTECT, related_name="looks")
    after_move = models.IntegerField()
    number = models.IntegerField()
    verdict = models.CharField(max_length=16)
    policy_digest = models.CharField(max_length=64)
    sample_digest = models.CharField(max_length=64)
    sample = models.BinaryField()
    whole = models.BinaryField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "releases"
        constraints = [
            models.UniqueConstraint(
                fields=["release", "after_move", "number"], name="each_look_is_taken_once"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="looks_are_numbered"),
            models.CheckConstraint(
                condition=Q(verdict__in=VERDICTS), name="a_look_has_a_known_verdict"
            ),
        ]

    def __str__(self) -> str:
        return f"look {self.number} of {self.release_id}: {self.verdict}"
