"""The action ledger: actions, attempts, receipts, look-ups. Facts; only an action's and an
attempt's own standing is ever updated, and only by `ledger`."""

import uuid

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from approvals.models import Approval
from checkpoints.functions import Sha256
from checkpoints.models import Run
from reconciliation import states
from reconciliation.behind.models import Divergence, JournalMark, MissingLine  # noqa: F401 - too
from reconciliation.credentials.models import Credential  # noqa: F401 - one of our tables
from reconciliation.doors.models import Door  # noqa: F401 - one of our tables
from reconciliation.reports.models import ColumnMap, Draft, Report, ReportLine  # noqa: F401 - too
from tenants.models import Tenant


class Action(models.Model):
    """One effect asked of the world. Its parameter bytes are frozen when it is proposed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="actions")
    mode = models.CharField(max_length=8)
    node = models.CharField(max_length=64)
    ordinal = models.IntegerField()
    generation = models.IntegerField(default=1)
    key = models.BinaryField()
    tool = models.CharField(max_length=64)
    tool_schema_digest = models.CharField(max_length=64)
    acting_credential = models.CharField(max_length=200)
    describe = models.TextField()
    target = models.TextField()
    magnitude = models.JSONField(default=dict)
    parameters = models.BinaryField()
    parameters_digest = models.BinaryField()
    compensates = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="compensations"
    )

    stands = models.CharField(max_length=12, default=states.PROPOSED)
    outcome = models.CharField(max_length=16, blank=True, default=states.OPEN)
    because = models.CharField(max_length=16, blank=True, default="")
    note = models.TextField(blank=True, default="")
    evidence_at = models.DateTimeField(null=True)
    proposed_seq = models.BigIntegerField()
    absorbed_seq = models.BigIntegerField(null=True)
    proposed_at = models.DateTimeField(db_default=Now())
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "key"],
                condition=Q(mode="live"),
                name="one_live_action_per_idempotency_key",
            ),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(absorbed_seq__isnull=True),
                name="one_unabsorbed_action_per_run",
            ),
            models.CheckConstraint(
                condition=Q(parameters_digest=Sha256(F("parameters"))),
                name="parameters_digest_is_of_the_parameters",
            ),
            models.CheckConstraint(
                condition=Q(stands__in=states.STANDS, outcome__in=states.OUTCOMES)
                & Q(because__in=states.BECAUSE),
                name="action_standing_is_known",
            ),
            models.CheckConstraint(
                condition=Q(stands=states.PROPOSED, outcome=states.OPEN)
                | Q(stands=states.DISPATCHED, outcome__in=[states.OPEN, states.UNKNOWN])
                | (
                    Q(stands=states.SETTLED)
                    & ~Q(outcome__in=[states.OPEN, states.UNKNOWN])
                    & Q(settled_at__isnull=False)
                ),
                name="a_settled_action_has_a_final_outcome",
            ),
            models.CheckConstraint(
                condition=Q(absorbed_seq__isnull=True) | Q(stands=states.SETTLED),
                name="only_a_settled_action_is_absorbed",
            ),
        ]
        indexes = [
            models.Index(fields=["run", "proposed_seq"], name="actions_by_run"),
            models.Index(fields=["tenant", "-proposed_at"], name="actions_by_tenant_newest"),
            models.Index(fields=["tenant", "target"], name="actions_by_target"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.target}"


class Attempt(models.Model):
    """One call of an action. The row is the intent: it exists before anything is sent."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    action = models.ForeignKey(Action, on_delete=models.PROTECT, related_name="attempts")
    mode = models.CharField(max_length=8)
    number = models.IntegerField()
    approval = models.ForeignKey(Approval, null=True, on_delete=models.PROTECT, related_name="+")
    action_hash = models.CharField(max_length=64)
    fence = models.BigIntegerField()
    holder = models.UUIDField()
    dispatched_at = models.DateTimeField(db_default=Now())
    deadline_at = models.DateTimeField()
    margin_seconds = models.IntegerField()
    outcome = models.CharField(max_length=20, blank=True, default=states.ATTEMPT_OPEN)
    settled_at = models.DateTimeField(null=True)
    # The record had lost it: it was sent as the journal says, and whoever allowed it may be lost too.
    from_journal = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(approval__isnull=False) | Q(from_journal=True),
                name="an_attempt_has_its_approval_unless_the_record_lost_it",
            ),
            models.UniqueConstraint(fields=["action", "number"], name="attempts_are_numbered"),
            models.UniqueConstraint(
                fields=["action"], condition=Q(outcome=""), name="one_open_attempt_per_action"
            ),
            models.CheckConstraint(condition=Q(mode="live"), name="a_shadow_run_has_no_intent"),
            models.CheckConstraint(
                condition=Q(outcome="", settled_at__isnull=True)
                | (Q(outcome__in=states.ATTEMPTS[1:]) & Q(settled_at__isnull=False)),
                name="a_settled_attempt_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.action_id}"


class Receipt(models.Model):
    """What was learnt of an effect, as raw bytes: an answer, a look-up, a person. Append-only."""

    SOURCES = ("answer", "refusal", "look_up", "void", "person")

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="receipts")
    action = models.ForeignKey(Action, on_delete=models.PROTECT, related_name="receipts")
    source = models.CharField(max_length=8)
    content = models.BinaryField()
    digest = models.BinaryField()
    wire_digest = models.CharField(max_length=64, blank=True, default="")
    fence = models.BigIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(digest=Sha256(F("content"))), name="receipt_digest_is_of_its_content"
            ),
            models.CheckConstraint(
                condition=Q(source__in=["answer", "refusal", "look_up", "void", "person"]),
                name="receipt_source_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} of {self.attempt_id}"


class LookUp(models.Model):
    """One time we asked the tool what became of an attempt. Append-only.

    `boot_seconds` is the recoverer's own clock (CLOCK_BOOTTIME of the boot `boot_id`): absent is
    believed only when that clock and the database's both passed the window (rule 8).
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="look_ups")
    answer = models.CharField(max_length=12)
    detail = models.TextField(blank=True, default="")
    boot_id = models.CharField(max_length=36)
    boot_seconds = models.FloatField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(answer__in=["found", "absent", "unanswered", "first_seen", "voided"]),
                name="look_up_answer_is_known",
            ),
        ]
        indexes = [models.Index(fields=["attempt", "id"], name="look_ups_in_order")]

    def __str__(self) -> str:
        return f"{self.answer} for {self.attempt_id}"


class SpoolPlace(models.Model):
    """A folder in which receipts wait while PostgreSQL is away, and when its machine last said so.

    Nothing is decided by these rows: they say what to look for when a machine is gone.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    machine = models.CharField(max_length=255)
    folder = models.TextField()
    seen_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["seen_at"], name="spools_by_last_seen")]

    def __str__(self) -> str:
        return f"{self.folder} of {self.machine}"
