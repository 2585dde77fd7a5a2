"""Samples confirmed effects, beside the sweeper and at a set rate."""

import logging
from functools import partial
from typing import Final

from django.conf import settings

from execution.beside import Beside
from reconciliation import sampling
from reconciliation.models import Action
from tenants.paces import Pace

log = logging.getLogger(__name__)

AT_ONCE: Final = 1
_samples: Final = Beside()
_pace: Final = Pace()


def sample() -> int:
    """Start looking one effect up if it is time; returns how many were started.

    The rate is this process': a second sweeper samples as well, which does no harm.
    """
    per_minute = settings.KEDGE_SAMPLES_PER_MINUTE
    if not per_minute or _samples.room("sample", at_once=AT_ONCE) < 1:
        return 0
    if not _pace.is_time(60 / per_minute):
        return 0
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
