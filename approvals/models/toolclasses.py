"""The table of reversibility: which class a tool has at a tenant, as its people said."""

from django.db import models
from django.db.models import Q

from approvals.clock import ClockTimestamp
from approvals.rules.classes import CLASSES
from tenants.models import Tenant


class ToolClass(models.Model):
    """What a tenant says of a tool, from now on. Append-only: the newest row is what holds.

    Without a row the tool has the most dangerous class.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    tool = models.CharField(max_length=64)
    reversibility = models.CharField(max_length=16)
    why = models.TextField()
    set_by = models.CharField(max_length=200)
    set_at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reversibility__in=CLASSES), name="reversibility_is_known"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_tool_class_has_a_reason"),
        ]
        indexes = [models.Index(fields=["tenant", "tool", "-id"], name="tool_classes_newest_first")]

    def __str__(self) -> str:
        return f"{self.tool}: {self.reversibility}"
