"""What a run has committed: checkpoints, events, large values and who names them."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.functions import Sha256
from checkpoints.models.run import Combo, Run
from tenants.models import Tenant


class Checkpoint(models.Model):
    """What a run had committed at `seq`. Partitioned by run id; append-only.

    A trigger judges what is added (`migrations/0007_commit.sql`), that its run and combo are there
    included: a foreign key costs a commit twice as much.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+", db_constraint=False)
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
    combo = models.ForeignKey(
        Combo, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
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
