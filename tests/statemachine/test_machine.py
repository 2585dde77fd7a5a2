"""Rules of workers, people, time and faults in odd orders: what must be true is so after each.

`make statemachine` tries many more, from another seed each time, and prints it.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import cast

import hypothesis
import pytest
from hypothesis.stateful import run_state_machine_as_test
from pytest_django import Settings

from tenants.access import grant
from tenants.roles import ROLES
from tests.emptying import empty
from tests.engine import registry
from tests.engine.turns import Bench
from tests.people import ada, bob, dee, eve, make_tenant
from tests.statemachine.hands import stand_at_boundaries
from tests.statemachine.machine import Machine

pytestmark = pytest.mark.django_db(transaction=True)

SHORT = hypothesis.settings(
    max_examples=5,
    stateful_step_count=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.generate],
)
LONG = hypothesis.settings(
    SHORT,
    max_examples=int(os.environ.get("EXAMPLES", "200")),
    stateful_step_count=30,
    derandomize=False,
    phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
)


@pytest.fixture
def fresh(
    engine: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[], Machine]:
    """Makes a machine on an empty record, in an empty world. Real time decides nothing."""
    settings.KEDGE_LEASE_SECONDS = 3600
    settings.KEDGE_MOST_ATTEMPTS = 1000
    for tool in registry.TOOLS.by_name.values():
        monkeypatch.setattr(tool, "budget_seconds", 600)
        monkeypatch.setattr(tool, "margin_seconds", 60)

    def make() -> Machine:
        empty()
        rmtree(engine.world, ignore_errors=True)
        engine.world.mkdir()
        tenant, other = make_tenant("acme"), make_tenant("other")
        grant(other, eve(other), *ROLES["approver"])
        return Machine(
            Bench(tenant, starter=ada(tenant), approver=dee(tenant), world=engine.world),
            Bench(other, starter=bob(other), approver=eve(other), world=engine.world),
        )

    return make


def test_in_odd_orders_everything_stays_true_and_every_run_ends(
    fresh: Callable[[], Machine],
) -> None:
    with stand_at_boundaries():
        run_state_machine_as_test(cast("type[Machine]", fresh), settings=SHORT)


@pytest.mark.slow
def test_in_many_more_orders_too(fresh: Callable[[], Machine]) -> None:
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    print(f"SEED={seed}, {LONG.max_examples} examples of {LONG.stateful_step_count} rules")
    with stand_at_boundaries():
        seeded = hypothesis.seed(seed)(fresh)
        run_state_machine_as_test(cast("type[Machine]", seeded), settings=LONG)
