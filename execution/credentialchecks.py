"""Checks credentials beside the sweeper, and warns of those that end."""

import logging
from functools import partial
from typing import Final

from execution.beside import Beside
from reconciliation.credentials import checking, warning
from reconciliation.credentials.models import Credential
from tenants.paces import Pace

log = logging.getLogger(__name__)

AT_ONCE: Final = 2
MOST: Final = 50
PACE_SECONDS: Final = 30.0

_checks: Final = Beside()
_warnings: Final = Pace()


def check() -> int:
    """Start the checks that are due, of each tool two at once; returns how many."""
    return sum(_start(each) for each in checking.claim())


def warn() -> int:
    """Warn of credentials that end, looked for at most every half minute."""
    return warning.warn_due(MOST) if _warnings.is_time(PACE_SECONDS) else 0


def wait(seconds: float) -> bool:
    """Wait for the checks under way, so long at most; True when none is any more."""
    return _checks.wait(seconds)


def _start(credential: Credential) -> int:
    if _checks.room(credential.tool, at_once=AT_ONCE) <= 0:
        return 0
    _checks.start(credential.tool, partial(_check, credential))
    return 1


def _check(credential: Credential) -> None:
    try:
        checking.check(credential)
    except Exception:  # the claim runs out, and it is checked again
        log.exception("a check of a credential was not kept")
