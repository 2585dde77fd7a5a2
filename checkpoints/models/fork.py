"""Where a run was forked from, and which effects a run took over from others of its lineage."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.models.run import Run
from tenants.models import Tenant


class Fork(models.Model):
    """A run begins from a checkpoint of another. Append-only; made with its run and checkpoint 1.

    `checkpoint` is the digest of the source's checkpoint `seq` (of its genesis for 0). `token` makes
    a repeated request one fork. `again` are effects (action ids) that are done again on purpose.
    """

    run = models.OneToOneField(Run, primary_key=True, on_delete=models.PROTECT, related_name="fork")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    source = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="forks")
    seq = models.BigIntegerField()
    checkpoint = models.BinaryField()
    token = models.UUIDField()
    reason = models.TextField()
    again = models.JSONField(default=list)
    made_by = models.CharField(max_length=200)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "token"], name="one_fork_per_request"),
            models.CheckConstraint(condition=~Q(reason=""), name="a_fork_has_a_reason"),
            models.CheckConstraint(
                condition=~Q(run=F("source")) & Q(seq__gte=0), name="a_fork_has_another_source"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} from {self.source_id}#{self.seq}"


class Reuse(models.Model):
    """At checkpoint `seq` a run took over the effect of another run of its lineage. Append-only.

    Nothing was sent: the action is the other run's, and so are its attempts and receipts.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+", db_index=False)
    seq = models.BigIntegerField()
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    action_id = models.UUIDField(db_index=True)
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.action_id} by {self.run_id}#{self.seq}"
