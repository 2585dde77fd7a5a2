"""Samples confirmed effects, beside the sweeper and at a set rate."""

import logging
import time
from functools import partial
from typing import Final

from django.conf import settings

from execution.beside import Beside
from reconciliation import sampling
from reconciliation.models import Action

log = logging.getLogger(__name__)

AT_ONCE: Final = 1
_samples: Final = Beside()
_next_at = 0.0


def sample() -> int:
    """Start looking one effect up if it is time; returns how many were started.

    The rate is this process': a second sweeper samples as well, which does no harm.
    """
    global _next_at  # noqa: PLW0603 - the sweeper remembers nothing else, and loses nothing with it
    per_minute = settings.KEDGE_SAMPLES_PER_MINUTE
    now = time.monotonic()
    if not per_minute or now < _next_at or _samples.room("sample", at_once=AT_ONCE) < 1:
        return 0
    _next_at = now + 60 / per_minute
    chosen = sampling.due(AT_ONCE)
    for action in chosen:
        _samples.start("sample", partial(_check, action))
    return len(chosen)


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    return _samples.wait(seconds)


def _check(action: Action) -> None:
    try:
        sampling.check(action)
    except Exception:  # it is chosen again
        log.exception("a sample was not kept")
