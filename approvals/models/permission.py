"""The question, the answers, and the approval that allows one effect."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from approvals import states
from approvals.clock import ClockTimestamp
from checkpoints.ids import uuid7
from checkpoints.models import Run
from tenants.models import Tenant


class ApprovalRequest(models.Model):
    """The question put to people, with exactly what they were shown.

    Only its state moves: the database refuses any change of what was bound and shown. `closed_at`,
    `closed_by` and `closed_because` belong to the present state, as people and the run hear it.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    action_id = models.UUIDField()
    revision = models.IntegerField()
    replaces = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    action_hash = models.CharField(max_length=64, unique=True)
    bound = models.BinaryField()
    nonce = models.CharField(max_length=64, unique=True)
    diff = models.BinaryField()
    diff_media = models.CharField(max_length=64)
    parameters = models.BinaryField()
    tool = models.CharField(max_length=64)
    describe = models.TextField()
    target = models.TextField()
    summary = models.JSONField(default=list)
    magnitude = models.JSONField(default=dict)
    requirement = models.JSONField()
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

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=states.REQUEST_STATES), name="request_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state=states.OPEN, closed_at__isnull=True)
                | (~Q(state=states.OPEN) & Q(closed_at__isnull=False)),
                name="a_request_is_open_iff_it_is_not_closed",
            ),
            models.UniqueConstraint(
                fields=["action_id"],
                condition=Q(state__in=states.LIVE),
                name="one_live_request_per_action",
            ),
            models.UniqueConstraint(
                fields=["action_id", "revision"], name="one_request_per_action_and_revision"
            ),
            models.CheckConstraint(
                condition=Q(revision=1, replaces__isnull=True)
                | Q(revision__gt=1, replaces__isnull=False),
                name="a_later_request_names_the_one_it_replaces",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("asked_at")),
                name="a_request_expires_after_it_is_asked",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "id"], condition=Q(state="open"), name="open_requests_by_tenant"
            ),
            models.Index(
                fields=["expires_at"],
                condition=Q(state__in=states.LIVE),
                name="live_requests_by_expiry",
            ),
            models.Index(fields=["run", "-id"], name="requests_by_run_newest"),
            models.Index(
                fields=["tenant", "tool", "-id"],
                condition=Q(state="used"),
                name="used_requests_by_tool_newest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.describe} ({self.state})"


class Decision(models.Model):
    """What one person decided about one request, on which hash. Append-only.

    `proved_by` and `proved_at`: how and when they last showed that it is them, if the session knew.
    `unopened`: how many parts of what is shown they said they decide without having opened them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    request = models.ForeignKey(ApprovalRequest, on_delete=models.PROTECT, related_name="decisions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16)
    reason = models.TextField(blank=True, default="")
    posted_hash = models.CharField(max_length=64)
    proved_by = models.CharField(max_length=16, blank=True, default="", db_default="")
    proved_at = models.DateTimeField(null=True)
    unopened = models.IntegerField(default=0, db_default=0)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(proved_by="", proved_at=None)
                | (~Q(proved_by="") & Q(proved_at__isnull=False)),
                name="a_proof_has_a_method_and_a_time",
            ),
            models.CheckConstraint(
                condition=Q(unopened=0) | Q(unopened__gt=0, verdict=states.APPROVE),
                name="only_an_approval_goes_without_opening",
            ),
            models.UniqueConstraint(
                fields=["request", "user"], name="one_decision_per_person_and_request"
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=states.VERDICTS), name="verdict_is_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict=states.APPROVE) | ~Q(reason=""),
                name="only_an_approval_needs_no_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.user_id}"


class TakenBack(models.Model):
    """A person took their own yes back before enough others had given theirs. Append-only."""

    decision = models.OneToOneField(
        Decision, primary_key=True, on_delete=models.PROTECT, related_name="taken_back"
    )
    reason = models.TextField()
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="taking_back_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"taken back: {self.decision_id}"


class Approval(models.Model):
    """The answer that allows one effect. `used_by_attempt` is the first attempt under it.

    `rule` names the rule by which it passed without a person, "" when people decided.
    """

    request = models.OneToOneField(
        ApprovalRequest, primary_key=True, on_delete=models.PROTECT, related_name="approval"
    )
    state = models.CharField(max_length=16, default=states.UNUSED)
    rule = models.CharField(max_length=64, blank=True, default="")
    granted_at = models.DateTimeField(db_default=ClockTimestamp())
    used_at = models.DateTimeField(null=True)
    used_by_attempt = models.UUIDField(null=True, unique=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=states.APPROVAL_STATES), name="approval_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state=states.USED, used_at__isnull=False, used_by_attempt__isnull=False)
                | (~Q(state=states.USED) & Q(used_at__isnull=True, used_by_attempt__isnull=True)),
                name="an_approval_is_used_iff_an_attempt_used_it",
            ),
        ]

    def __str__(self) -> str:
        return f"approval of {self.request_id} ({self.state})"
