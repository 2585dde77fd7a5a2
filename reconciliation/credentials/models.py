"""What is known of the credentials that tools act with: where each is kept, never what it is."""

from datetime import datetime
from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

NEVER: Final = ""
VALID: Final = "valid"
INVALID: Final = "invalid"
UNANSWERED: Final = "unanswered"
RESULTS: Final = (NEVER, VALID, INVALID, UNANSWERED)


class Credential(models.Model):
    """The credential with which one tool acts for one tenant, as a reference.

    `acting_identity` is who the other side takes us for; `kept_at` names the place where the
    secret is kept, as `env:NAME`, `file:/path` or `vault:path`; `version` is that place's own.
    """

    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    acting_identity = models.CharField(max_length=200)
    owner = models.ForeignKey("tenants.User", on_delete=models.PROTECT, related_name="+")
    kept_at = models.CharField(max_length=300)
    version = models.CharField(max_length=100)
    expires_at = models.DateTimeField(null=True, blank=True)
    noted_at = models.DateTimeField(db_default=Now())
    checked_at = models.DateTimeField(null=True)
    result = models.CharField(max_length=12, blank=True, default=NEVER)
    said = models.TextField(blank=True, default="")
    # What the tool itself says of its end; somebody wants it checked; who asks now; what was said.
    told_expires_at = models.DateTimeField(null=True)
    wanted_at = models.DateTimeField(null=True)
    asking_until = models.DateTimeField(null=True)
    warned_days = models.IntegerField(null=True)

    class Meta:
        app_label = "reconciliation"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "tool"], name="one_credential_per_tool_and_tenant"
            ),
            models.CheckConstraint(
                condition=Q(kept_at__regex=r"^(env|file|vault):\S+$"),
                name="a_credential_is_a_reference",
            ),
            models.CheckConstraint(
                condition=Q(result=NEVER, checked_at__isnull=True)
                | (Q(result__in=RESULTS[1:]) & Q(checked_at__isnull=False)),
                name="a_checked_credential_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} as {self.acting_identity}"

    @property
    def ends_at(self) -> datetime | None:
        """Until when it is good: what a person noted or the tool says, whichever is earlier."""
        known = [at for at in (self.expires_at, self.told_expires_at) if at is not None]
        return min(known, default=None)

    @property
    def is_being_checked(self) -> bool:
        """Whether somebody wants it checked, and the answer is not there yet."""
        return self.wanted_at is not None
