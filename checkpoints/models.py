"""The tables of the record. Rules that must never break are constraints here, named as sentences;
what Meta cannot say stands in the `.sql` beside the first migration."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.functions import Sha256
from checkpoints.ids import uuid7
from tenants.models import Tenant


class Combo(models.Model):
    """An immutable set of versions: what a run is pinned to. `manifest` is canonical JSON."""

    task_type = models.CharField(max_length=64)
    digest = models.BinaryField(unique=True)
    manifest = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(digest=Sha256(F("manifest"))), name="combo_digest_is_of_its_manifest"
            ),
        ]

    def __str__(self) -> str:
        return bytes(self.digest).hex()[:12]


class Run(models.Model):
    """One execution of a graph. The lease lives here: one row, one lock."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    task_type = models.CharField(max_length=64)
    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
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
            models.CheckConstraint(
                condition=Q(input_digest=Sha256(F("input"))), name="input_digest_is_of_the_input"
            ),
            models.CheckConstraint(
                condition=Q(mode__in=["live", "shadow"]), name="run_mode_is_live_or_shadow"
            ),
            models.CheckConstraint(
                condition=Q(status__in=states.FINAL)
                | Q(status=states.QUEUED, reason__in=states.REASONS[states.QUEUED])
                | Q(status=states.RUNNING, reason__in=states.REASONS[states.RUNNING])
                | Q(status=states.WAITING, reason__in=states.REASONS[states.WAITING])
                | Q(status=states.HELD, reason__in=states.REASONS[states.HELD]),
                name="live_run_says_why",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=states.FINAL,
                    stop_reason__in=states.STOP_REASONS,
                    finished_at__isnull=False,
                )
                | Q(status__in=states.LIVE, stop_reason="", finished_at__isnull=True),
                name="final_run_has_stop_reason_and_time",
            ),
            models.CheckConstraint(
                condition=Q(status=states.RUNNING, holder__isnull=False, lease_until__isnull=False)
                | (~Q(status=states.RUNNING) & Q(holder__isnull=True, lease_until__isnull=True)),
                name="a_run_is_leased_iff_running",
            ),
            models.CheckConstraint(
                condition=Q(effect_in_flight__isnull=True) | Q(status__in=states.LIVE),
                name="no_final_run_with_an_effect_in_flight",
            ),
            models.CheckConstraint(
                condition=Q(effect_in_flight__isnull=True) | Q(mode="live"),
                name="a_shadow_run_has_no_effect",
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
            models.Index(fields=["tenant", "status", "-id"], name="runs_by_tenant_and_status"),
        ]

    def __str__(self) -> str:
        return f"{self.task_type}/{self.business_key}"


class Checkpoint(models.Model):
    """What a run had committed at `seq`. Partitioned by run id; append-only."""

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    seq = models.BigIntegerField()
    parent_seq = models.BigIntegerField()
    node = models.CharField(max_length=64)
    next_node = models.CharField(max_length=64)
    state = models.BinaryField()
    header = models.BinaryField()
    digest = models.BinaryField()
    # Items this step appended to the run's lists: canonical JSON {"chain": [item, …]}.
    appended = models.BinaryField(null=True)
    fence = models.BigIntegerField()
    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+", db_index=False)
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.run_id}#{self.seq}"


class Event(models.Model):
    """One thing that happened to a run and is no checkpoint. Partitioned; append-only."""

    pk = models.CompositePrimaryKey("run_id", "id")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    id = models.BigIntegerField(db_default=models.Value(0))
    at = models.DateTimeField(db_default=Now())
    what = models.CharField(max_length=48)
    actor = models.CharField(max_length=200)
    detail = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.what


class Blob(models.Model):
    """A large value by content, per tenant."""

    pk = models.CompositePrimaryKey("tenant_id", "digest")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    digest = models.BinaryField()
    content = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(digest=Sha256(F("content"))), name="blob_digest_is_of_its_content"
            ),
        ]

    def __str__(self) -> str:
        return bytes(self.digest).hex()[:12]


class BlobReference(models.Model):
    """A run names a blob: while this row exists the database refuses to delete the blob."""

    pk = models.CompositePrimaryKey("run_id", "digest")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+", db_index=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    digest = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.run_id}→{bytes(self.digest).hex()[:12]}"


class Stop(models.Model):
    """A lock on new runs or on effects, for everything (no tenant) or for one tenant."""

    tenant = models.ForeignKey(Tenant, null=True, on_delete=models.PROTECT, related_name="+")
    lock = models.CharField(max_length=16)
    why = models.TextField()
    stopped_by = models.CharField(max_length=200)
    stopped_at = models.DateTimeField(db_default=Now())
    lifted_by = models.CharField(max_length=200, blank=True, default="")
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(lock__in=["new_runs", "effects"]),
                name="a_stop_locks_new_runs_or_effects",
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_stop_says_why"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by="")
                | (Q(lifted_at__isnull=False) & ~Q(lifted_by="")),
                name="a_lifted_stop_names_who_lifted_it",
            ),
            models.UniqueConstraint(
                fields=["tenant", "lock"],
                condition=Q(lifted_at__isnull=True),
                nulls_distinct=False,
                name="one_open_stop_per_scope_and_lock",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.lock} ({self.tenant_id or 'everything'})"


class Case(models.Model):
    """An entry in the human queue. A run is held if and only if it has an open (undecided) case."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=32)
    sentence = models.TextField()
    facts = models.JSONField(default=dict)
    fingerprint = models.CharField(max_length=64)
    action_id = models.UUIDField(null=True)
    opened_at = models.DateTimeField(db_default=Now())
    # A verdict lets the run go on: decided, not yet proven. Closed when it committed past it.
    decided_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    closed_because = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=states.CASE_KINDS), name="case_kind_is_known"
            ),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(decided_at__isnull=True, closed_at__isnull=True),
                name="one_open_case_per_run",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "-id"], condition=Q(closed_at=None), name="open_cases_by_tenant"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.run_id}"


class Verdict(models.Model):
    """What a person decided in a case, with evidence. Append-only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="verdicts")
    verdict = models.CharField(max_length=32)
    reason = models.TextField()
    evidence = models.TextField(blank=True, default="")
    detail = models.JSONField(default=dict)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    given_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="a_verdict_has_a_reason"),
        ]

    def __str__(self) -> str:
        return self.verdict


class Recovery(models.Model):
    """One attempt to bring an interrupted run back: why, from when, first new boundary, end."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    why = models.TextField()
    interrupted_fence = models.BigIntegerField()
    noticed_at = models.DateTimeField(db_default=Now())
    taken_over_at = models.DateTimeField(null=True)
    new_boundary_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended = models.CharField(max_length=16, blank=True, default="")

    ENDS: ClassVar = ("recovered", "by_person", "interrupted")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "interrupted_fence"], name="one_recovery_per_interrupted_lease"
            ),
            models.CheckConstraint(
                condition=Q(ended="", ended_at__isnull=True)
                | Q(ended__in=["recovered", "by_person", "interrupted"], ended_at__isnull=False),
                name="an_ended_recovery_says_how_and_when",
            ),
        ]
        indexes = [
            models.Index(fields=["run"], condition=Q(ended=""), name="recoveries_under_way"),
        ]

    def __str__(self) -> str:
        return f"{self.why} at fence {self.interrupted_fence}"
