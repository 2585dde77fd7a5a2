"""Registering a combo: what the files of a task or of its variant make, stored once, with its facts."""

import subprocess
from typing import Final

from django.conf import settings

from checkpoints.models import Combo, Registration, Successor
from checkpoints.registry import combo_of
from tenants.actors import Actor

SECONDS: Final = 10
# Forty digits, and "-dirty" when files differ from that commit.
ASK_GIT: Final = ("git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")


def register(task_type: str, variant: str = "", *, actor: Actor) -> tuple[Combo, bool]:
    """Store the combo that the files make, and that it was registered; whether that is news.

    Twice is once. Raises `UnknownTaskTypeError`, `UnknownVariantError`.
    """
    combo = combo_of(task_type, variant)
    _, created = Registration.objects.get_or_create(
        combo=combo,
        variant=variant,
        revision=revision(),
        defaults={"registered_by": actor.name},
    )
    return combo, created


def succeed(combo: Combo, of: Combo, *, actor: Actor) -> bool:
    """Declare that a combo may take over the runs of an older one; whether that is news.

    Raises `IntegrityError` when they are of different tasks, or one and the same.
    """
    _, created = Successor.objects.get_or_create(
        combo=combo, of=of, defaults={"declared_by": actor.name}
    )
    return created


def revision() -> str:
    """The commit that the files stand at; "" where git does not know. A fact, and no version."""
    try:
        said = subprocess.run(
            ASK_GIT, cwd=settings.BASE_DIR, capture_output=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.decode("ascii", "replace").strip()[:64]
