"""What waits for a person, and what is being brought back."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.ids import uuid7
from checkpoints.models.run import Run
from tenants.models import Tenant


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
    # Where the run stood when this was opened, or opened again: the node that could not go on, and
    # the number of the head. What lies past the trouble is told from these (`checkpoints.proving`).
    node = models.CharField(max_length=64, blank=True, default="", db_default="")
    stood_at = models.BigIntegerField(default=0, db_default=0)
    opened_at = models.DateTimeField(db_default=Now())
    # A verdict lets the run go on: decided, not yet proven. Closed when it committed past it, and
    # open again at `prove_by`, which is empty while the run waits as designed.
    decided_at = models.DateTimeField(null=True)
    prove_by = models.DateTimeField(null=True)
    reopened_at = models.DateTimeField(null=True)
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
            models.CheckConstraint(
                condition=Q(prove_by=None) | Q(decided_at__isnull=False),
                name="only_a_decided_case_has_to_be_proven",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "-id"], condition=Q(closed_at=None), name="open_cases_by_tenant"
            ),
            models.Index(
                fields=["prove_by"],
                condition=Q(closed_at=None, decided_at__isnull=False),
                name="cases_not_yet_proven",
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
    # How many people the rules demand; the second agreed on exactly what the first proposed.
    people = models.SmallIntegerField(default=1, db_default=1)
    proposal = models.OneToOneField(
        "ProposedVerdict", null=True, on_delete=models.PROTECT, related_name="became"
    )
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="a_verdict_has_a_reason"),
            models.CheckConstraint(
                condition=Q(people=1, agreed_by=None) | Q(people=2, agreed_by__isnull=False),
                name="a_verdict_has_as_many_people_as_the_rules_demand",
            ),
            models.CheckConstraint(
                condition=Q(proposal=None) | Q(people=2), name="what_was_proposed_takes_two"
            ),
            models.CheckConstraint(
                condition=~Q(agreed_by=F("given_by")), name="nobody_agrees_with_themselves"
            ),
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
