"""A state that a person wrote by hand: the question put to a second one, and the answer."""

import uuid
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from approvals import states
from approvals.clock import ClockTimestamp
from checkpoints.ids import uuid7
from checkpoints.models import Case, Run
from checkpoints.states import EDIT_STATE, MIGRATE_BY_HAND
from tenants.models import Tenant

KINDS: Final = (EDIT_STATE, MIGRATE_BY_HAND)


class EditRequest(models.Model):
    """A new state for a held run, with exactly what the second person is shown.

    `content` are the canonical bytes to be committed, encrypted as states are; `diff` is what is
    shown of it. `parent_seq` is the checkpoint it follows, `used_seq` the one it became. Only what
    became of it moves: the database refuses any change of the rest, and any use but the one.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="edits")
    kind = models.CharField(max_length=16)

    edit_hash = models.CharField(max_length=64, unique=True)
    bound = models.BinaryField()
    nonce = models.CharField(max_length=64, unique=True)
    parent_seq = models.BigIntegerField()
    next_node = models.CharField(max_length=64)
    schema = models.IntegerField()
    content = models.BinaryField()
    diff = models.BinaryField()
    reason = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    on_behalf_of = models.CharField(max_length=200, blank=True, default="")

    asked_at = models.DateTimeField(db_default=ClockTimestamp())
    expires_at = models.DateTimeField()
    state = models.CharField(max_length=16, default=states.OPEN)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=200, blank=True, default="")
    closed_because = models.TextField(blank=True, default="")
    used_seq = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=states.REQUEST_STATES), name="edit_state_is_known"
            ),
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="edit_kind_is_known"),
            models.CheckConstraint(
                condition=Q(state=states.OPEN, closed_at__isnull=True)
                | (~Q(state=states.OPEN) & Q(closed_at__isnull=False)),
                name="an_edit_is_open_iff_it_is_not_closed",
            ),
            models.CheckConstraint(
                condition=Q(state=states.USED, used_seq__isnull=False)
                | (~Q(state=states.USED) & Q(used_seq__isnull=True)),
                name="an_edit_is_used_iff_it_became_a_checkpoint",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("asked_at")), name="an_edit_expires_after_it_is_asked"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="an_edit_says_why"),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(state__in=states.LIVE),
                name="one_live_edit_per_run",
            ),
            models.UniqueConstraint(
                fields=["run", "used_seq"],
                condition=Q(used_seq__isnull=False),
                name="one_edit_per_checkpoint",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "id"], condition=Q(state="open"), name="open_edits_by_tenant"
            ),
            models.Index(
                fields=["expires_at"],
                condition=Q(state__in=states.LIVE),
                name="live_edits_by_expiry",
            ),
            models.Index(fields=["case", "-id"], name="edits_by_case_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.run_id} ({self.state})"


class EditDecision(models.Model):
    """What the second person decided about an edit, on which hash. Append-only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    request = models.OneToOneField(EditRequest, on_delete=models.PROTECT, related_name="decision")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16)
    reason = models.TextField(blank=True, default="")
    posted_hash = models.CharField(max_length=64)
    proved_by = models.CharField(max_length=16, blank=True, default="")
    proved_at = models.DateTimeField(null=True)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(proved_by="", proved_at=None)
                | (~Q(proved_by="") & Q(proved_at__isnull=False)),
                name="a_proof_of_an_edit_has_a_method_and_a_time",
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=states.VERDICTS), name="edit_verdict_is_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict=states.APPROVE) | ~Q(reason=""),
                name="only_an_approval_of_an_edit_needs_no_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.user_id}"
