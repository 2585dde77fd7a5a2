"""What is known of combos beside the combos: who registered which when, and which code was last seen."""

from django.db import models
from django.db.models.functions import Now

from checkpoints.models.run import Combo


class Registration(models.Model):
    """Somebody registered a combo from an agent's files. A fact: rows are only ever added.

    `variant` is the folder below the task's `variants`, "" for the task's own files. `revision` is
    the commit that the files stood at, "" where nobody knows: the digest says what they are.
    """

    combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="registrations")
    variant = models.CharField(max_length=64, blank=True, default="")
    revision = models.CharField(max_length=64, blank=True, default="")
    registered_by = models.CharField(max_length=200)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["combo", "variant", "revision"], name="registered_once_at_a_revision"
            )
        ]

    def __str__(self) -> str:
        return f"{self.combo}: {self.variant or 'its own files'}"


class WorkerCode(models.Model):
    """When a worker that runs this code part last said so; outlives the rows of its workers."""

    part = models.BinaryField(primary_key=True)
    seen_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return bytes(self.part).hex()[:12]
