"""The tables of saved plans: the plan, each run or effect in it, and what people said of it.

`migrations/0003_plans.sql` has what the columns alone cannot say: which moves are legal, that the
counters are the items, that nothing starts without a person's order for exactly this digest.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from checkpoints.ids import uuid7
from checkpoints.models import Run
from execution.plans import states
from tenants.models import Tenant

KNOWN_RATE = Q(per_minute__gte=1, per_minute__lte=states.FASTEST_PER_MINUTE)


class Plan(models.Model):
    """What will happen to exactly which runs or effects. Why, terms and items never change.

    `terms` is JSON of its kind; `foreseen` counts what becomes of effects (`forecasts.KINDS`);
    `digest` is over all of it once it is ready. The seven counters are kept by PostgreSQL with
    every change of an item. `looked_at` is when its unproven items were looked at last.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    number = models.IntegerField()
    kind = models.CharField(max_length=32)
    about = models.TextField()
    why = models.TextField()
    terms = models.JSONField(default=dict)
    per_minute = models.IntegerField(default=states.USUAL_PER_MINUTE)
    drafted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    drafted_at = models.DateTimeField(db_default=Now())

    state = models.CharField(max_length=12, default=states.COMPUTING)
    digest = models.CharField(max_length=64, blank=True, default="")
    needs_second = models.TextField(blank=True, default="")
    foreseen = models.JSONField(default=dict)
    seconded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    ready_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    paced_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(null=True)
    stopped_because = models.TextField(blank=True, default="")

    total = models.IntegerField(default=0)
    waiting = models.IntegerField(default=0)
    planned = models.IntegerField(default=0)
    left_out = models.IntegerField(default=0)
    done = models.IntegerField(default=0)
    skipped = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)
    unproven = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "number"], name="plans_are_numbered"),
            models.CheckConstraint(condition=~Q(why=""), name="a_plan_says_why"),
            models.CheckConstraint(
                condition=Q(state__in=states.STATES), name="plan_state_is_known"
            ),
            models.CheckConstraint(condition=KNOWN_RATE, name="a_plan_has_a_rate"),
            models.CheckConstraint(
                condition=Q(
                    total=F("waiting")
                    + F("planned")
                    + F("left_out")
                    + F("done")
                    + F("skipped")
                    + F("failed")
                    + F("unproven")
                ),
                name="the_totals_of_a_plan_add_up",
            ),
            models.CheckConstraint(
                condition=Q(state=states.COMPUTING, digest="")
                | Q(state=states.DISCARDED)
                | (Q(waiting=0) & ~Q(digest="")),
                name="a_plan_to_be_reviewed_is_whole",
            ),
            models.CheckConstraint(
                condition=~Q(state=states.FINISHED) | Q(planned=0),
                name="a_finished_plan_has_nothing_left_to_do",
            ),
            models.CheckConstraint(
                condition=Q(state__in=states.FINAL, ended_at__isnull=False)
                | (~Q(state__in=states.FINAL) & Q(ended_at__isnull=True)),
                name="a_plan_that_ended_says_when",
            ),
            models.CheckConstraint(
                condition=Q(started_by__isnull=True)
                | Q(seconded_by__isnull=True)
                | ~Q(started_by=F("seconded_by")),
                name="who_seconds_a_plan_does_not_start_it",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "-number"], name="plans_by_tenant_newest"),
            models.Index(
                fields=["state"],
                condition=Q(state__in=[states.COMPUTING, states.STARTED]),
                name="plans_with_work",
            ),
            models.Index(fields=["id"], condition=Q(unproven__gt=0), name="plans_to_be_proven"),
        ]

    def __str__(self) -> str:
        return f"P-{self.number}"


class PlanItem(models.Model):
    """One run of a plan, or one effect of it: what it was when planned, and what became of it.

    `was` is what was judged, and is judged again under the lock; `code` is the class it is counted
    in, or why it is left out. `holds`: while the plan is unfinished, no other plan may have the run.
    """

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="items")
    position = models.IntegerField()
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    action_id = models.UUIDField(null=True)
    case_id = models.UUIDField(null=True)
    terms = models.JSONField(default=dict)
    state = models.CharField(max_length=12, default=states.WAITING)
    holds = models.BooleanField(default=False)
    code = models.CharField(max_length=64, blank=True, default="")
    sentence = models.TextField(blank=True, default="")
    was = models.JSONField(default=dict)
    said = models.TextField(blank=True, default="")
    tries = models.IntegerField(default=0)
    carried_at = models.DateTimeField(null=True)
    proven_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "position"], name="items_of_a_plan_in_order"),
            models.UniqueConstraint(
                fields=["plan", "run", "action_id"],
                name="an_effect_is_in_a_plan_once",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(holds=True),
                name="a_run_is_in_one_unfinished_plan",
            ),
            models.CheckConstraint(
                condition=Q(state__in=states.ITEM_STATES), name="plan_item_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=states.RESULTS, carried_at__isnull=False)
                | (~Q(state__in=states.RESULTS) & Q(carried_at__isnull=True)),
                name="an_item_says_when_it_was_carried_out",
            ),
        ]
        indexes = [
            models.Index(fields=["plan", "state", "position"], name="plan_items_by_state"),
            models.Index(fields=["run", "-id"], name="plan_items_of_a_run"),
            models.Index(
                fields=["case_id"],
                condition=Q(state=states.PLANNED),
                name="planned_items_by_case",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} in {self.plan_id}: {self.state}"


class PlanOrder(models.Model):
    """What a person said of a plan, with the digest that they saw. Append-only, and people's."""

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="orders")
    said = models.CharField(max_length=8)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    why = models.TextField(blank=True, default="")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(said__in=states.ORDERS), name="what_is_said_of_a_plan_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} said {self.said} of {self.plan_id}"
