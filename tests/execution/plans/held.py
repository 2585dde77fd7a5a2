"""Runs that need a person, and plans over them, made by the engine's own verbs."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.db import transaction

from canonical.redaction import ours
from checkpoints import leases, runs
from checkpoints.cases import Trouble
from checkpoints.ids import uuid7
from checkpoints.models import Case, Run
from checkpoints.registry import runnable_combos
from execution.plans import carrying, computing, drafting, ordering
from execution.plans.drafting import Draft, Target
from execution.plans.models import Plan, PlanItem
from execution.plans.ordering import Order
from tenants.actors import Actor
from tenants.models import User
from tests.engine.turns import Bench

WORKER = Actor.machine("worker")
FAST = 6_000


def held(
    engine: Bench, n: int = 1, *, kind: str = "world_changed", task_type: str = "steps"
) -> list[Run]:
    """So many runs on hold, each with an open case of this kind."""
    made = []
    for _ in range(n):
        engine.start(task_type, tool="fake.void", what="a")
        lease = leases.acquire(uuid4(), combos=runnable_combos())
        assert lease is not None
        trouble = Trouble(kind, "The file was moved.", {"error": ours("moved")})
        runs.hold(lease, trouble, actor=WORKER)
        made.append(Run.objects.get(pk=lease.run_id))
    return made


def many(engine: Bench, n: int, *, task_type: str = "steps") -> None:
    """So many runs like a held one, by their rows: the same trouble, each with its case."""
    (run,) = held(engine, task_type=task_type)
    case = Case.objects.get(run=run)
    with transaction.atomic():
        for _ in range(n - 1):
            run.pk = run.effect_scope = uuid7()
            run.business_key = uuid4().hex
            case.pk, case.run_id = uuid7(), run.pk
            run.save(force_insert=True)
            case.save(force_insert=True)


def unknown(engine: Bench, n: int = 1) -> list[Run]:
    """So many runs held because their effect was sent and nobody can know what became of it."""
    made = [engine.start(tool="fake.nothing", what="a") for _ in range(n)]
    for _ in made:
        engine.turn()
    lost = engine.fault("drop_answer")
    for run in made:
        engine.decide(run)
        engine.turn()
    lost.unlink()
    return made


def planned(
    engine: Bench,
    over: Sequence[Run],
    kind: str = "try_again",
    *,
    user: User | None = None,
    **terms: Any,
) -> Plan:
    """A plan over these runs, worked out."""
    draft = Draft(kind, "repaired", "test runs", [Target(run.pk) for run in over], terms, FAST)
    plan = drafting.draft(engine.tenant, draft, user=user or engine.starter)
    while plan.state == "computing":
        computing.compute(plan.pk)
        plan.refresh_from_db()
    return plan


def started(plan: Plan, user: User) -> Plan:
    """The plan, started as its review page would."""
    return ordering.start(plan.pk, Order(plan.digest, plan.planned), user=user)


def carried(plan: Plan) -> Plan:
    """The plan after all the rate allows, which waits for nothing here."""
    while plan.state == "started":
        Plan.objects.filter(pk=plan.pk).update(paced_at="2020-01-01T00Z")
        carrying.carry_on(plan.pk)
        plan.refresh_from_db()
    return plan


def results(plan: Plan) -> list[str]:
    """What became of each item, in order."""
    return list(
        PlanItem.objects.filter(plan=plan).order_by("position").values_list("state", flat=True)
    )


def totals(plan: Plan) -> dict[str, int]:
    """The counters of a plan that are not zero."""
    plan.refresh_from_db()
    names = ("waiting", "planned", "left_out", "done", "skipped", "failed", "unproven")
    return {name: getattr(plan, name) for name in names if getattr(plan, name)}
