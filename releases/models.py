"""The tables of the traffic: a release, each of its moves, and what people said of a move.

`migrations/0001_releases.sql` has what columns alone cannot say: a move is made on a person's word for
exactly what they were shown, a release stands where its last move led, and a route follows it.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.arms import PLACES as SHARES
from checkpoints.ids import uuid7
from checkpoints.models import Combo
from releases.gates import standing
from releases.looks.models import Look  # noqa: F401 - one of our tables
from releases.rollbacks.models import Rollback  # noqa: F401 - one of our tables
from releases.shadows.models import Compared  # noqa: F401 - one of our tables
from releases.usual.models import UsualPolicy
from tenants.models import Tenant

WORD = 16
UNDER_WAY = (standing.NEW, standing.SHADOW, standing.CANARY)


class Release(models.Model):
    """One candidate on its way to be the stable combo of a task type at one tenant.

    `stable` is what new runs got as it began, and what a roll back restores. `share` and
    `share_of_critical` are of `checkpoints.arms.PLACES`. `policy` is canonical JSON of what its
    gates demand; it stays what it was as the release began. `policy_from` is what its tenant had said
    then; None: the tenant had said nothing, or the release was given a policy of its own.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    number = models.IntegerField()
    task_type = models.CharField(max_length=64)
    candidate = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    stable = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    policy = models.BinaryField()
    policy_digest = models.CharField(max_length=64)
    policy_from = models.ForeignKey(
        UsualPolicy, null=True, on_delete=models.PROTECT, related_name="+"
    )
    why = models.TextField()
    begun_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    begun_at = models.DateTimeField(db_default=Now())

    place = models.CharField(max_length=WORD, default=standing.NEW)
    is_frozen = models.BooleanField(default=False)
    share = models.IntegerField(default=0)
    share_of_critical = models.IntegerField(default=0)
    salt = models.CharField(max_length=64)
    last_move = models.IntegerField(default=0)
    moved_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "number"], name="releases_are_numbered"),
            models.UniqueConstraint(
                fields=["tenant", "task_type"],
                condition=Q(place__in=UNDER_WAY),
                name="one_release_under_way_per_task_type",
            ),
            models.CheckConstraint(
                condition=Q(place__in=standing.PLACES), name="a_release_stands_somewhere"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_release_says_why"),
            models.CheckConstraint(
                condition=~Q(candidate=F("stable")), name="a_release_changes_the_combo"
            ),
            models.CheckConstraint(
                condition=Q(place=standing.CANARY, share__gte=1)
                | (~Q(place=standing.CANARY) & Q(share=0, share_of_critical=0)),
                name="a_canary_has_a_share_and_nothing_else_has",
            ),
            models.CheckConstraint(
                condition=Q(share_of_critical__gte=0)
                & Q(share__gte=F("share_of_critical"))
                & Q(share__lte=SHARES),
                name="of_a_release_critical_runs_go_last",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "task_type", "-number"], name="releases_newest"),
        ]

    def __str__(self) -> str:
        return f"release {self.number} of {self.task_type}"


class Move(models.Model):
    """One step of a release, as it was shown to whoever is asked for it; nothing of that changes.

    `shown` is canonical JSON of the decisive part, `digest` is over it; `beside` is what the page
    told beside it (counts of a moment). A move by machine has no person and only ever stops.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="moves")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    number = models.IntegerField()
    kind = models.CharField(max_length=WORD)
    place = models.CharField(max_length=WORD)
    share = models.IntegerField(default=0)
    share_of_critical = models.IntegerField(default=0)
    shown = models.BinaryField()
    digest = models.CharField(max_length=64)
    beside = models.JSONField(default=dict)
    why = models.TextField()
    needs_second = models.BooleanField(default=False)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    actor = models.CharField(max_length=200)
    proposed_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    ended = models.CharField(max_length=WORD, blank=True, default="")
    ended_at = models.DateTimeField(null=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "number"], name="moves_of_a_release_are_numbered"
            ),
            models.UniqueConstraint(
                fields=["release"], condition=Q(ended=""), name="one_open_move_per_release"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=standing.MOVES), name="a_move_is_of_a_known_kind"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_move_says_why"),
            models.CheckConstraint(
                condition=Q(ended="", ended_at__isnull=True)
                | Q(ended__in=["made", "withdrawn", "expired"], ended_at__isnull=False),
                name="an_ended_move_says_how_and_when",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=standing.BY_MACHINE)
                | Q(proposed_by__isnull=False) & (~Q(ended="made") | Q(made_by__isnull=False)),
                name="people_move_a_release_on",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.release_id}"


class MoveOrder(models.Model):
    """What a person said of a move: append-only, and no process of ours can write one."""

    move = models.ForeignKey(Move, on_delete=models.PROTECT, related_name="orders")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    said = models.CharField(max_length=WORD)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["move", "said"], name="a_move_is_ordered_and_seconded_once"
            ),
            models.CheckConstraint(
                condition=Q(said__in=["make", "second"]), name="an_order_says_make_or_second"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.said} {self.move_id}"
