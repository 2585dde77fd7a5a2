"""Runs that wait under older code, while this process has the code of a newer combo."""

from pytest_django import Settings

from checkpoints import registry
from checkpoints.models import Combo, Run
from execution import announcing
from execution.models import Process
from tests.engine.turns import Bench

OLD, NEXT = "tests.engine.registry", "tests.execution.next_agents"


def paused(engine: Bench, what: str, tool: str = "fake.void", steps: int = 1) -> Run:
    """A run that waits for people to say yes to one effect."""
    run = engine.start(steps=steps, tool=tool, what=what)
    engine.turn()
    run.refresh_from_db()
    return run


def newer_code(settings: Settings) -> Combo:
    """From here on this process has newer code of `steps`; its combo."""
    settings.KEDGE_AGENTS = NEXT
    registry.agents.cache_clear()
    return registry.combo_of("steps")


def older_code(settings: Settings) -> None:
    """This process has the older code again."""
    settings.KEDGE_AGENTS = OLD
    registry.agents.cache_clear()


def worker_of(combo: Combo) -> Process:
    """A live worker that announces the code of a combo."""
    facts = {"codes": [announcing.code_of(combo)]}
    return Process.objects.create(name=f"of {combo}", kind="worker", pid=1, facts=facts)
