"""The tables of the second look: what is to be looked at by a model, what it noticed, who saw that.

Nothing here is read by what judges an effect: a second look has no vote.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from approvals.clock import ClockTimestamp
from checkpoints.ids import uuid7
from tenants.models import Tenant

# What came of a look. The first two are the model's, the others are about it.
NOTHING_NOTICED = "nothing_noticed"
LOOK_HERE = "look_here"
UNUSABLE = "unusable"
FAILED = "failed"
OUTCOMES = (NOTHING_NOTICED, LOOK_HERE, UNUSABLE, FAILED)

MOST_REMARKS = 8


class SecondLookTurn(models.Model):
    """A request that a model is to look at: one row, written anew with each try.

    `due_at` is None once nothing is to be asked any more. `error` says why the newest try brought
    nothing ("" when none did yet), `tries` how many did. `claim` is the token of whoever asks now,
    `begun_at` when they began: so many a minute are asked for one tenant.
    """

    request = models.OneToOneField(
        "approvals.ApprovalRequest",
        primary_key=True,
        on_delete=models.PROTECT,
        related_name="second_look_turn",
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    due_at = models.DateTimeField(null=True, db_default=ClockTimestamp())
    begun_at = models.DateTimeField(null=True)
    tries = models.IntegerField(default=0)
    error = models.TextField(blank=True, default="")
    claim = models.UUIDField(null=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(claim__isnull=True, claimed_until__isnull=True)
                | Q(claim__isnull=False, claimed_until__isnull=False),
                name="a_second_look_is_claimed_until_some_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "due_at"],
                condition=Q(due_at__isnull=False),
                name="second_looks_due_by_tenant",
            ),
            models.Index(
                fields=["tenant", "begun_at"],
                condition=Q(begun_at__isnull=False),
                name="second_looks_begun_by_tenant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.tries} tries"


class SecondLook(models.Model):
    """What a model noticed about one request, as it was shown. Append-only, at most one per request.

    `action_hash` is that of the request; `shown_digest` is of the text the model was given, whose
    lines `remarks` name (canonical JSON, see `approvals.looking.answers`). `left_out` counts what did not
    fit into that text. `why` is there when there is no usable answer. Tokens are those of all tries
    that were answered.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    request = models.OneToOneField(
        "approvals.ApprovalRequest", on_delete=models.PROTECT, related_name="second_look"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    action_hash = models.CharField(max_length=64)
    shown_digest = models.CharField(max_length=64)
    outcome = models.CharField(max_length=16)
    remarks = models.BinaryField(default=b"[]")
    remark_count = models.IntegerField(default=0)
    why = models.TextField(blank=True, default="")
    model = models.CharField(max_length=300)
    prompt_digest = models.CharField(max_length=64)
    combo_digest = models.CharField(max_length=64)
    prompt_tokens = models.IntegerField(default=0)
    completion_tokens = models.IntegerField(default=0)
    left_out = models.JSONField(default=dict)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=OUTCOMES), name="second_look_outcome_is_known"
            ),
            models.CheckConstraint(
                condition=Q(outcome=LOOK_HERE, remark_count__gte=1, remark_count__lte=MOST_REMARKS)
                | (~Q(outcome=LOOK_HERE) & Q(remark_count=0)),
                name="a_second_look_has_remarks_iff_it_says_look_here",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=[UNUSABLE, FAILED]) & ~Q(why="")
                | Q(outcome__in=[NOTHING_NOTICED, LOOK_HERE], why=""),
                name="a_second_look_without_an_answer_says_why",
            ),
            models.CheckConstraint(condition=~Q(model=""), name="a_second_look_names_its_model"),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.outcome}"


class SeenRemarks(models.Model):
    """A person says that they have seen the remarks of a second look. Append-only. Decides nothing."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    look = models.ForeignKey(SecondLook, on_delete=models.PROTECT, related_name="seen")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["look", "user"], name="remarks_are_seen_once_per_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.look_id} seen by {self.user_id}"
