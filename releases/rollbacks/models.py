"""The tables of rollbacks: the plan with its phase, its runs, its effects, and what people said.

`migrations/0003_rollbacks.sql` has what columns alone cannot say: which phase follows which, on
whose word, and that nothing closes while an effect is open or a run is undecided.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from checkpoints.ids import uuid7
from checkpoints.models import Combo, Run, Stop
from reconciliation.models import Action
from releases.rollbacks import phases
from tenants.models import Tenant

WORD = 16
PERSON = settings.AUTH_USER_MODEL


class Rollback(models.Model):
    """From the withdrawn combo of a release to what was stable before it, in six phases.

    `shown` is canonical JSON of what is decisive, `digest` over it; `beside` is what the page told
    of the moment: runs by kind, and in a machine's plan what was broken (`breaches`). `choices` is what becomes of runs by kind. Nobody proposed it: a machine did;
    nobody started it: the policy of the release did. `waits_for` is said by the sweeper.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    release = models.ForeignKey(
        "releases.Release", on_delete=models.PROTECT, related_name="rollbacks"
    )
    number = models.IntegerField()
    from_combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    to_combo = models.ForeignKey(Combo, on_delete=models.PROTECT, related_name="+")
    shown = models.BinaryField()
    digest = models.CharField(max_length=64)
    choices = models.JSONField(default=dict)
    beside = models.JSONField(default=dict)
    why = models.TextField()
    needs_second = models.BooleanField(default=False)
    proposed_by = models.ForeignKey(PERSON, null=True, on_delete=models.PROTECT, related_name="+")
    actor = models.CharField(max_length=200)
    proposed_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()

    phase = models.CharField(max_length=WORD, default=phases.PLANNED)
    phase_at = models.DateTimeField(db_default=Now())
    started_by = models.ForeignKey(PERSON, null=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(null=True)
    paused_by = models.ForeignKey(PERSON, null=True, on_delete=models.PROTECT, related_name="+")
    paused_at = models.DateTimeField(null=True)
    starts_stop = models.ForeignKey(Stop, null=True, on_delete=models.PROTECT, related_name="+")
    effects_stop = models.ForeignKey(Stop, null=True, on_delete=models.PROTECT, related_name="+")
    waits_for = models.TextField(blank=True, default="")
    ended = models.CharField(max_length=WORD, blank=True, default="")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "number"], name="rollbacks_are_numbered"),
            models.UniqueConstraint(
                fields=["release"],
                condition=Q(ended=""),
                name="one_unfinished_rollback_per_release",
            ),
            models.CheckConstraint(
                condition=Q(phase__in=phases.PHASES), name="a_rollback_is_in_a_known_phase"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="a_rollback_says_why"),
            models.CheckConstraint(
                condition=Q(ended="", ended_at__isnull=True) & ~Q(phase=phases.CLOSED)
                | Q(ended=phases.CLOSED, phase=phases.CLOSED, ended_at__isnull=False)
                | Q(
                    ended__in=[phases.WITHDRAWN, phases.EXPIRED],
                    phase=phases.PLANNED,
                    ended_at__isnull=False,
                ),
                name="a_rollback_that_began_is_closed_and_never_given_up",
            ),
            models.CheckConstraint(
                condition=Q(phase=phases.PLANNED) | Q(started_at__isnull=False),
                name="a_rollback_under_way_says_since_when",
            ),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True, paused_by__isnull=True)
                | Q(paused_at__isnull=False, paused_by__isnull=False),
                name="a_person_pauses_a_rollback",
            ),
        ]
        indexes = [
            models.Index(fields=["phase_at"], condition=Q(ended=""), name="rollbacks_unfinished"),
            models.Index(fields=["tenant", "-number"], name="rollbacks_newest"),
        ]

    def __str__(self) -> str:
        return f"R-{self.number}"


class RollbackOrder(models.Model):
    """What a person said of a rollback, with the digest that they saw. Append-only, and people's."""

    rollback = models.ForeignKey(Rollback, on_delete=models.PROTECT, related_name="orders")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    said = models.CharField(max_length=WORD)
    user = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rollback", "said"],
                condition=Q(said__in=[phases.START, phases.SECOND]),
                name="a_rollback_is_ordered_and_seconded_once",
            ),
            models.CheckConstraint(
                condition=Q(said__in=phases.ORDERS), name="what_is_said_of_a_rollback_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.said} {self.rollback_id}"


class RollbackRun(models.Model):
    """A run of the withdrawn combo that had not ended: what is foreseen, chosen, and became of it.

    `holds`: while the rollback is unfinished no saved plan may have the run, and the other way round.
    `chosen_by` nobody: as the rollback says for its kind.
    """

    rollback = models.ForeignKey(Rollback, on_delete=models.PROTECT, related_name="runs")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    holds = models.BooleanField(default=True)
    kind = models.CharField(max_length=WORD)
    foreseen = models.TextField(blank=True, default="")
    choice = models.CharField(max_length=WORD, blank=True, default="")
    chosen_by = models.ForeignKey(PERSON, null=True, on_delete=models.PROTECT, related_name="+")
    said = models.TextField(blank=True, default="")
    ended = models.CharField(max_length=WORD, blank=True, default="")
    ended_at = models.DateTimeField(null=True)
    fork = models.ForeignKey(Run, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rollback", "run"], name="a_run_is_rolled_back_once"),
            models.UniqueConstraint(
                fields=["run"], condition=Q(holds=True), name="a_run_is_in_one_unfinished_rollback"
            ),
            models.CheckConstraint(
                condition=Q(choice__in=["", *phases.CHOICES]) & Q(kind__in=phases.KINDS),
                name="what_is_chosen_for_a_run_is_known",
            ),
            models.CheckConstraint(
                condition=Q(ended="", ended_at__isnull=True)
                | Q(ended__in=phases.RUN_ENDS[1:], ended_at__isnull=False),
                name="what_became_of_a_run_says_when",
            ),
        ]
        indexes = [
            models.Index(fields=["rollback", "kind", "id"], name="rollback_runs_by_kind"),
            models.Index(
                fields=["rollback", "id"], condition=Q(ended=""), name="rollback_runs_undecided"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} in {self.rollback_id}"


class RollbackChoice(models.Model):
    """What a person chose for a run of a rollback, and why. Append-only, and people's."""

    of = models.ForeignKey(RollbackRun, on_delete=models.PROTECT, related_name="choices")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    choice = models.CharField(max_length=WORD)
    why = models.TextField()
    user = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(choice__in=phases.CHOICES) & ~Q(why=""),
                name="a_choice_is_known_and_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.choice} for {self.of_id}"


class OutstandingEffect(models.Model):
    """One effect that the withdrawn combo proposed since its release began, until it is signed off.

    `state` is read from the ledger by the sweeper; how it is signed off never changes.
    """

    rollback = models.ForeignKey(Rollback, on_delete=models.PROTECT, related_name="effects")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    action = models.ForeignKey(Action, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=WORD)
    signed_off = models.CharField(max_length=WORD, blank=True, default="")
    signed_by = models.ForeignKey(PERSON, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True, default="")
    signed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rollback", "action"], name="an_effect_is_on_the_board_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=phases.EFFECT_STATES), name="an_effect_stands_somewhere"
            ),
            models.CheckConstraint(
                condition=Q(signed_off="", signed_at__isnull=True)
                | Q(signed_off__in=phases.SIGN_OFFS[1:], signed_at__isnull=False),
                name="an_effect_signed_off_says_how_and_when",
            ),
            models.CheckConstraint(
                condition=~Q(signed_off=phases.ACCEPTED)
                | Q(signed_by__isnull=False) & ~Q(reason=""),
                name="a_named_person_accepts_an_effect_with_a_reason",
            ),
        ]
        indexes = [
            models.Index(
                fields=["rollback", "id"],
                condition=Q(signed_off=""),
                name="rollback_effects_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action_id} on {self.rollback_id}"


class EffectAcceptance(models.Model):
    """A named person lets an effect of the withdrawn combo stand. Append-only, and people's."""

    effect = models.OneToOneField(
        OutstandingEffect, on_delete=models.PROTECT, related_name="acceptance"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="an_acceptance_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} accepts {self.effect_id}"
