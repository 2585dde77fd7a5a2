"""How people work on the queue together: who is at it, what they noted, whom they wait for."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from checkpoints.models.waiting import Case
from tenants.models import Tenant


class Claim(models.Model):
    """Somebody is at a case or a problem: a lease on the database's clock. It gives no right.

    One whose lease is over holds nothing any more; its row ends when the next one claims. Who, what
    and since when never change, and it ends once (`migrations/0008_desk.sql`).
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=128)
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # Who handed it over to the holder, or from whom the holder took it over; else nobody.
    handed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    taken_from = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    since = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField()
    ended = models.CharField(max_length=16, blank=True, default="", db_default="")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "kind", "key"],
                condition=Q(ended=""),
                name="one_live_claim_per_subject",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["case", "problem"]), name="a_claim_is_of_a_case_or_a_problem"
            ),
            models.CheckConstraint(
                condition=Q(ended="", ended_at=None)
                | Q(
                    ended__in=["released", "expired", "taken_over", "handed_over", "settled"],
                    ended_at__isnull=False,
                ),
                name="an_ended_claim_says_how_and_when",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "holder"], condition=Q(ended=""), name="claims_of_a_holder"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} by {self.holder_id}"


class Note(models.Model):
    """What somebody wrote down about a case. Append-only, and redacted when it is written."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="notes")
    text = models.TextField()
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_note_says_something"),
        ]

    def __str__(self) -> str:
        return f"note {self.pk} on {self.case_id}"


class OutsideWait(models.Model):
    """An interval in which a case waits for somebody outside: its age stands still meanwhile.

    It begins and ends once, by people; nothing else of it ever changes.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="outside_waits")
    party = models.CharField(max_length=200)
    why = models.TextField()
    begun_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    begun_at = models.DateTimeField(db_default=Now())
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case"],
                condition=Q(ended_at__isnull=True),
                name="a_case_waits_outside_once_at_a_time",
            ),
            models.CheckConstraint(
                condition=~Q(party="") & ~Q(why=""), name="an_outside_wait_says_for_whom_and_why"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by=None)
                | Q(ended_at__isnull=False, ended_by__isnull=False),
                name="an_ended_outside_wait_says_by_whom",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=models.F("begun_at")),
                name="an_outside_wait_ends_after_it_began",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} waits for {self.party}"
