"""How far a combo may go with one tool at one tenant: a ladder, and each step on it as a fact."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from checkpoints.models.run import Combo
from tenants.models import Tenant

WORD = 16


class RungStep(models.Model):
    """One step of a combo on the ladder of a tool; the newest says where it stands. Append-only.

    `before` is "" for what ran here before anybody released this task: that is at the top already.
    `evidence` is canonical JSON of what was shown for a step up, `digest` is over it.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=100)
    number = models.IntegerField()
    before = models.CharField(max_length=WORD, blank=True)
    after = models.CharField(max_length=WORD)
    why = models.TextField()
    evidence = models.BinaryField(default=bytes)
    digest = models.CharField(max_length=64, blank=True, default="")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "combo", "tool", "number"], name="steps_of_a_ladder_are_numbered"
            ),
            models.CheckConstraint(
                condition=Q(after__in=["fake", "read", "dry_run", "write"]),
                name="a_ladder_has_four_rungs",
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_step_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.tool}: {self.after}"
