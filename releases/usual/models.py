"""The table of a tenant's own policies: what its people said, word by word."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenants.models import Tenant


class UsualPolicy(models.Model):
    """What a release of the tenant takes from now on. Append-only: the newest of its scope is what holds.

    Of one task type, or of all of them where `task_type` is "". `policy` is canonical JSON (see
    `releases.gates.policies`); without bytes its scope says nothing of its own any more.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    task_type = models.CharField(max_length=64, blank=True, default="")
    policy = models.BinaryField()
    policy_digest = models.CharField(max_length=64, blank=True)
    why = models.TextField()
    said_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    said_at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "releases"
        constraints = [
            models.CheckConstraint(condition=~Q(why=""), name="a_usual_policy_says_why"),
            models.CheckConstraint(
                condition=Q(policy=b"", policy_digest="") | ~Q(policy=b"") & ~Q(policy_digest=""),
                name="a_usual_policy_has_its_digest",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "task_type", "-id"], name="usual_policies_newest_first")
        ]

    def __str__(self) -> str:
        return (
            f"policy of {self.task_type or 'all tasks'}: {self.policy_digest[:8] or 'taken back'}"
        )
