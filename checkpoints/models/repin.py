"""Orders to move a run to another combo, and which combos a deployer declared to succeed which."""

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.models.run import Combo, Run
from tenants.models import Tenant

ROLLBACK: Final = "rollback"
SUCCESSOR: Final = "successor"

MOVED: Final = "moved"
REFUSED: Final = "refused"
WITHDRAWN: Final = "withdrawn"


class Repin(models.Model):
    """Somebody ordered that a run goes on under another combo; nothing but its end ever changes.

    PostgreSQL lets the combo of a run move only where an open one says so, judged as it moves
    (`migrations/…_repins.sql`). `seq` is the head at which it moved: what the run committed up to
    there is of the combo it had, and what follows of the other. `sentence` says how it ended.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="repins", db_index=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    from_combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    to_combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    why = models.TextField()
    cause = models.CharField(max_length=16)
    # What it is part of: the rollback, of a floor above.
    reference = models.UUIDField(null=True, db_index=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    ordered_by = models.CharField(max_length=200)
    ordered_at = models.DateTimeField(db_default=Now())
    ended = models.CharField(max_length=16, blank=True, default="")
    ended_at = models.DateTimeField(null=True)
    sentence = models.TextField(blank=True, default="")
    seq = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=Q(ended=""), name="one_open_repin_per_run"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_repin_says_why"),
            models.CheckConstraint(
                condition=~Q(from_combo=F("to_combo")), name="a_repin_leads_elsewhere"
            ),
            models.CheckConstraint(
                condition=Q(cause=ROLLBACK, reference__isnull=False)
                | Q(cause=SUCCESSOR, reference=None),
                name="a_repin_has_a_cause",
            ),
            models.CheckConstraint(
                condition=Q(ended="", ended_at=None, seq=None, sentence="")
                | Q(ended=MOVED, ended_at__isnull=False, seq__isnull=False)
                | Q(ended__in=[REFUSED, WITHDRAWN], ended_at__isnull=False, seq=None)
                & ~Q(sentence=""),
                name="an_ended_repin_says_how_and_when",
            ),
        ]
        indexes = [models.Index(fields=["run", "id"], name="repins_of_a_run")]

    def __str__(self) -> str:
        return f"{self.run_id} to {self.to_combo_id}"


class Successor(models.Model):
    """A deployer declared that `combo` may take over the runs of an older one. Append-only.

    Its code has to read what runs of the older one have committed; that is judged run by run.
    """

    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="succeeds")
    of = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="successors")
    declared_by = models.CharField(max_length=200)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["combo", "of"], name="declared_to_succeed_once"),
            models.CheckConstraint(condition=~Q(combo=F("of")), name="no_combo_succeeds_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.combo_id} after {self.of_id}"
