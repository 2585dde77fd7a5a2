"""The door of one tool at one tenant: a row from its first call without an answer on."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Door(models.Model):
    """While it is closed nothing is dispatched to this tool for this tenant.

    `silent` names the calls in a row that got no answer: attempts by id, other questions as
    `look:` and the id of their action. `by_hand`: a person closed it, and only a person opens it.
    `let_through` is the one action that may be sent as a probe. `paced_at` is up to when the runs
    that waited were let go on, `woken` how many of them.
    """

    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    silent = models.JSONField(default=list)
    answered_at = models.DateTimeField(null=True)

    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=200, blank=True, default="")
    by_hand = models.BooleanField(default=False)
    why = models.TextField(blank=True, default="")

    next_probe_at = models.DateTimeField(null=True)
    probing_until = models.DateTimeField(null=True)
    let_through = models.UUIDField(null=True)
    probed_at = models.DateTimeField(null=True)
    said = models.TextField(blank=True, default="")

    opened_at = models.DateTimeField(null=True)
    opened_by = models.CharField(max_length=200, blank=True, default="")
    paced_at = models.DateTimeField(null=True)
    woken = models.IntegerField(default=0)
    noted_at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "tool"], name="one_door_per_tool_and_tenant"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by="", why="", by_hand=False)
                | (Q(closed_at__isnull=False) & ~Q(closed_by="") & ~Q(why="")),
                name="a_closed_door_says_who_and_why",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=False, by_hand=False)
                | Q(next_probe_at=None, probing_until=None, let_through=None),
                name="only_a_door_that_closed_by_itself_is_probed",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True)
                | Q(by_hand=True)
                | Q(next_probe_at__isnull=False),
                name="a_door_that_closed_by_itself_is_probed",
            ),
        ]

    def __str__(self) -> str:
        return f"door of {self.tool} at {self.tenant_id}"

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None

    def keeps_out(self, action: models.Model) -> bool:
        """Whether nothing may be asked or sent for this action now."""
        return self.is_closed and self.let_through != action.pk
