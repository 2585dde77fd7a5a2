"""Verdicts that take two people, and verdicts that were superseded."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.models.waiting import Case, Verdict


class ProposedVerdict(models.Model):
    """What one person proposes to decide, until a second agrees on exactly the same.

    `terms` is the digest of all that is proposed, `state` of how the case stood then. What was
    proposed never changes; it ends once.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="proposals")
    verdict = models.CharField(max_length=32)
    reason = models.TextField()
    evidence = models.TextField(blank=True, default="")
    detail = models.JSONField(default=dict)
    terms = models.CharField(max_length=64)
    state = models.CharField(max_length=64)
    # The rules of the combo that demand a second person, by name.
    demanded_by = models.JSONField(default=list)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_at = models.DateTimeField(db_default=Now())
    ended = models.CharField(max_length=16, blank=True, default="")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    why_ended = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case"], condition=Q(ended=""), name="one_open_proposal_per_case"
            ),
            models.CheckConstraint(
                condition=Q(ended="", ended_at__isnull=True, ended_by__isnull=True)
                | Q(
                    ended__in=["agreed", "declined", "withdrawn", "outdated"],
                    ended_at__isnull=False,
                    ended_by__isnull=False,
                ),
                name="an_ended_proposal_says_how_when_and_by_whom",
            ),
            models.CheckConstraint(
                condition=~Q(ended="agreed", ended_by=F("proposed_by")),
                name="two_people_agree_on_a_verdict",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="a_proposal_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} for {self.case_id} ({self.ended or 'open'})"


class Superseded(models.Model):
    """A verdict that does not count any more, who says so, and why. Append-only.

    `unsaid`: nothing had been made of it, and the ledger says again that nobody knows. Else what
    was made of it stands, and is listed where the case was opened again.
    """

    verdict = models.OneToOneField(
        Verdict, primary_key=True, on_delete=models.PROTECT, related_name="superseded"
    )
    reason = models.TextField()
    unsaid = models.BooleanField()
    superseded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="superseding_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict_id} is superseded"
