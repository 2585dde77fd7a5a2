"""Shadow drills: the worker of a shadow run dies, for real, so that its combo has to come back.

It kills itself, after the boundary that was chosen as the twin was started: once, and only where it is
a work-horse, whose parent gives its lease away as for any other that dies.
"""

import logging
import os
import signal
from typing import Final

from checkpoints import events
from checkpoints.models import Event, Run, Twin
from checkpoints.states import LIVE_MODE
from execution.work import WORKER

log = logging.getLogger(__name__)

STRUCK: Final = "struck by a drill"

_horse = 0


def in_horse() -> None:
    """This process may die for a drill: it is a work-horse, and all it holds is its lease."""
    global _horse  # noqa: PLW0603 - which process this is
    _horse = os.getpid()


def strike(run: Run, head: int) -> None:
    """Die here when the run is a drill that has come so far. Nothing is under way between two steps.

    A horse is never killed over a live run. What says that it struck is kept first: it strikes once.
    """
    if run.mode == LIVE_MODE or os.getpid() != _horse:
        return
    due = Twin.objects.filter(run=run, dies_at__lte=head).exists()
    if not due or Event.objects.filter(run_id=run.pk, what=STRUCK).exists():
        return
    events.append(run.pk, STRUCK, WORKER, head=head)
    log.warning("a drill strikes after checkpoint %s", head, extra={"run": str(run.pk)})
    os.kill(os.getpid(), signal.SIGKILL)
