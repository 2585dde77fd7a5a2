"""Makes the demo, once: tenants, people, repositories with their remotes, runs."""

from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from agents import repositories
from agents.fleet import FLEET
from agents.remotes import remote_url
from checkpoints import registry
from config.demo import campaigns, people
from config.demo.desk import books, filling
from config.demo.twin.remotes import twin_of
from releases.combos import registering

TELL_EVERY = 4
NEXT, NEXT_TASK = "agents.next", "fleet_change"

Say = Callable[[str], None]


def seed(say: Say) -> bool:
    """Make what is missing and say so; False when everything was there. Raises `SeedingFailed`."""
    tenants, persons = people.make()
    if persons:
        say(f"Made {', '.join(tenants)} with {len(persons)} people: {', '.join(persons)}")
    _register()
    prepared = [_prepare(slug, say) for slug in people.TENANTS]
    # Refunds are quick, and first in the queue: their questions are there at the first look.
    started = _refunds(say) + campaigns.start_all()
    if started:
        say(f"Started {started} runs")
    return bool(persons or any(prepared) or started)


def _register() -> None:
    """The combos that a release can give new runs to: each task's own, and those of its variants.

    And one of the next release's code, whose migrator does not read every state.
    """
    for task_type in registry.agents().GRAPHS:
        for variant in ("", *registry.variants(task_type)):
            registering.register(task_type, variant, actor=people.SEED)
    with registry.instead(NEXT):
        registering.register(NEXT_TASK, actor=people.SEED)


def _refunds(say: Say) -> int:
    if settings.DESK is None:
        return 0
    books.make()
    return filling.fill(settings.DESK, say)


def _prepare(slug: str, say: Say) -> bool:
    """A tenant's remotes, and the same again for the twin, which must not see them pushed to."""

    def progress(repository: str, done: int, total: int) -> None:
        if done % TELL_EVERY == 0:
            say(f"{name}: {done} of {total} repositories, now {repository}")

    name = people.TENANTS[slug]
    if _complete(slug) and _complete(twin_of(slug)):
        return False
    repositories.prepare(slug, progress)
    repositories.prepare(twin_of(slug))
    return True


def _complete(slug: str) -> bool:
    return all(Path(remote_url(slug, each.name)).exists() for each in FLEET)
