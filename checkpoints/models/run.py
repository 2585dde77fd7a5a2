"""What a run is pinned to, and the run itself with its lease: one row, one lock."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.functions import CodePart, Sha256
from checkpoints.ids import uuid7
from tenants.models import Tenant


class Combo(models.Model):
    """An immutable set of versions: what a run is pinned to. `manifest` is canonical JSON.

    `code_part` is the digest of what of it a worker must be: whoever runs one combo of a code part
    runs every other, since prompts, rules and settings are read from the combo.
    """

    task_type = models.CharField(max_length=64)
    digest = models.BinaryField(unique=True)
    manifest = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())
    code_part = models.GeneratedField(
        expression=CodePart(F("manifest")), output_field=models.BinaryField(), db_persist=True
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(digest=Sha256(F("manifest"))), name="combo_digest_is_of_its_manifest"
            ),
        ]
        indexes = [
            models.Index(fields=["code_part"], name="combos_by_code_part"),
            models.Index(fields=["task_type", "-id"], name="combos_by_task_newest"),
        ]

    def __str__(self) -> str:
        return self.hex[:12]

    @property
    def hex(self) -> str:
        """Its digest, whole: how addresses and forms name it."""
        return bytes(self.digest).hex()


class Run(models.Model):
    """One execution of a graph. The lease lives here: one row, one lock.

    What its status, reason, end, mode and input must be is judged by a trigger when one of them
    moves (`migrations/0005_run_facts.sql`): a commit moves none, and must not pay for it. That it
    is leased exactly while it runs, and stays, is judged by `migrations/0007_commit.sql`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    task_type = models.CharField(max_length=64)
    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    # Kept by PostgreSQL (`models/repin.py`): what it was started on, once it has moved, and where an
    # open order wants it. Here, so that neither a commit nor a reader has to ask for orders.
    first_combo = models.ForeignKey(
        Combo, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    moving_to = models.ForeignKey(
        Combo, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    mode = models.CharField(max_length=8, default="live")
    business_key = models.CharField(max_length=200)
    effect_scope = models.UUIDField()
    forked_from = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    input = models.BinaryField()
    input_digest = models.BinaryField()
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    caller = models.CharField(max_length=200)
    on_behalf_of = models.CharField(max_length=200, blank=True, default="")
    channel = models.CharField(max_length=32)
    # A canary takes those first that somebody said are not.
    critical = models.BooleanField(db_default=True)

    status = models.CharField(max_length=16, default=states.QUEUED)
    reason = models.CharField(max_length=32, default=states.STARTED)
    sentence = models.TextField(default="")
    stop_reason = models.CharField(max_length=32, blank=True, default="")
    finished_at = models.DateTimeField(null=True)

    head = models.BigIntegerField(default=0)
    next_node = models.CharField(max_length=64)
    fence = models.BigIntegerField(default=0)
    holder = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    wakes = models.BigIntegerField(default=0)
    woken_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True, db_default=Now())
    attempts = models.IntegerField(default=0)
    node_failures = models.IntegerField(default=0)
    # The action dispatched and not yet settled: while it is set, the head cannot move.
    effect_in_flight = models.UUIDField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    cancel_requested_by = models.CharField(max_length=200, blank=True, default="")

    created_at = models.DateTimeField(db_default=Now())
    progressed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "task_type", "business_key"],
                condition=Q(forked_from__isnull=True, mode="live"),
                name="one_live_unforked_run_per_business_key",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "due_at"],
                condition=Q(status__in=[states.QUEUED, states.WAITING], due_at__isnull=False),
                name="runs_due_by_tenant",
            ),
            models.Index(
                fields=["tenant", "due_at"],
                condition=Q(status__in=[states.QUEUED, states.WAITING], due_at__isnull=False)
                & ~Q(reason__in=states.IN_LINE),
                name="runs_due_first",
            ),
            models.Index(fields=["tenant"], condition=Q(status="running"), name="runs_leased"),
            models.Index(fields=["tenant", "-id"], name="runs_by_tenant_newest"),
            # The mode beside it: counts leave shadows out and read nothing but the index.
            models.Index(
                fields=["tenant", "status", "-id"],
                include=["mode"],
                name="runs_by_tenant_and_status",
            ),
            models.Index(fields=["tenant", "combo", "-id"], name="runs_by_tenant_and_combo"),
            models.Index(
                fields=["effect_scope"],
                condition=Q(forked_from__isnull=False),
                name="forks_by_effect_scope",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_type}/{self.business_key}"
