"""The table of what people opened: which part of what a request shows, when, and its bytes' digest."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from approvals.clock import ClockTimestamp
from checkpoints.ids import uuid7


class OpenedPart(models.Model):
    """A person was shown one part of a request for the first time. Append-only.

    `part` is "file/12/1" (the first page of the twelfth file), "text/1", "values/1" or
    "parameters/1". `digest` is the SHA-256 of bytes `from_byte` to `to_byte` (not included) of the
    parameters for "parameters/…", of the diff for all others, both as `approvals.showing.material` shows them.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    request = models.ForeignKey(
        "approvals.ApprovalRequest", on_delete=models.PROTECT, related_name="opened_parts"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    part = models.CharField(max_length=64)
    from_byte = models.IntegerField()
    to_byte = models.IntegerField()
    digest = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["request", "user", "part"], name="a_part_is_opened_once_per_person"
            ),
            models.CheckConstraint(
                condition=Q(digest__regex="^[0-9a-f]{64}$") & ~Q(part=""),
                name="an_opened_part_has_a_name_and_a_digest",
            ),
            models.CheckConstraint(
                condition=Q(from_byte__gte=0, to_byte__gte=F("from_byte")),
                name="an_opened_part_is_a_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.part} opened by {self.user_id}"
