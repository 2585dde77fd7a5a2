"""What is stopped, which calls were out when it was, and how two people lift it."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.models.run import Combo
from tenants.models import Tenant

FASTEST_PER_MINUTE = 6_000


class Stop(models.Model):
    """A lock on new runs or on effects: for everything (no tenant) or a tenant, or one thing there.

    One thing: a task type, a combo or a tool. Of its row only what became of it ever moves.
    """

    tenant = models.ForeignKey(Tenant, null=True, on_delete=models.PROTECT, related_name="+")
    task_type = models.CharField(max_length=64, blank=True, default="")
    combo = models.ForeignKey(Combo, null=True, on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64, blank=True, default="")
    lock = models.CharField(max_length=16)
    why = models.TextField()
    stopped_by = models.CharField(max_length=200)
    stopped_at = models.DateTimeField(db_default=Now())
    # When what became of every call that was out was known: before that it is still stopping.
    reconciled_at = models.DateTimeField(null=True)
    lifted_by = models.CharField(max_length=200, blank=True, default="")
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(lock__in=["new_runs", "effects"]),
                name="a_stop_locks_new_runs_or_effects",
            ),
            models.CheckConstraint(
                condition=Q(task_type="", combo=None)
                | Q(task_type="", tool="")
                | Q(combo=None, tool=""),
                name="a_stop_is_for_one_thing",
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_stop_says_why"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by="")
                | (Q(lifted_at__isnull=False) & ~Q(lifted_by="")),
                name="a_lifted_stop_names_who_lifted_it",
            ),
            models.UniqueConstraint(
                fields=["tenant", "task_type", "combo", "tool", "lock"],
                condition=Q(lifted_at__isnull=True),
                nulls_distinct=False,
                name="one_open_stop_per_scope_and_lock",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.lock} ({self.tenant_id or 'everything'})"


class CallOut(models.Model):
    """A call that was out when a stop of effects was set. Append-only."""

    stop = models.ForeignKey(Stop, on_delete=models.PROTECT, related_name="calls_out")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    attempt_id = models.UUIDField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["stop", "attempt_id"], name="a_call_is_out_once_per_stop"
            ),
        ]

    def __str__(self) -> str:
        return str(self.attempt_id)


class Lifting(models.Model):
    """How a stop is lifted: one person proposes, another confirms, then what waited goes on paced.

    `per_minute` is how many runs go on. `paced_at` is up to when they were let go, `woken` how
    many, and `paced_to_the_end_at` when none was left.
    """

    stop = models.ForeignKey(Stop, on_delete=models.PROTECT, related_name="liftings")
    why = models.TextField()
    per_minute = models.IntegerField()
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    ended = models.CharField(max_length=16, blank=True, default="")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, blank=True, default="")
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    paced_at = models.DateTimeField(null=True)
    woken = models.IntegerField(default=0)
    paced_to_the_end_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["stop"], condition=Q(ended=""), name="one_open_lifting_per_stop"
            ),
            models.CheckConstraint(
                condition=Q(ended="", ended_at__isnull=True)
                | Q(ended__in=["confirmed", "withdrawn", "expired"], ended_at__isnull=False),
                name="an_ended_lifting_says_how_and_when",
            ),
            models.CheckConstraint(
                condition=Q(ended="confirmed", confirmed_by__isnull=False, paced_at__isnull=False)
                | (~Q(ended="confirmed") & Q(confirmed_by__isnull=True, paced_at__isnull=True)),
                name="a_lifting_is_confirmed_by_a_person",
            ),
            models.CheckConstraint(
                condition=~Q(confirmed_by=F("proposed_by")), name="two_people_lift"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_lifting_says_why"),
            models.CheckConstraint(
                condition=Q(per_minute__gte=1, per_minute__lte=FASTEST_PER_MINUTE),
                name="a_lifting_is_paced",
            ),
        ]
        indexes = [
            models.Index(
                fields=["stop"],
                condition=Q(ended="confirmed", paced_to_the_end_at=None),
                name="liftings_under_way",
            ),
        ]

    def __str__(self) -> str:
        return f"lifting of stop {self.stop_id} ({self.ended or 'open'})"
