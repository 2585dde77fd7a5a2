"""The six phases of a rollback: each takes the rollback, locked, and says what it waits for."""

from collections.abc import Callable, Mapping
from typing import Final

from releases.rollbacks import phases
from releases.rollbacks.models import Rollback
from releases.rollbacks.steps import (
    closing,
    holding,
    reconciling,
    releasing,
    restoring,
    stopping,
)

# Inside the caller's transaction; "" when the phase is done.
STEPS: Final[Mapping[str, Callable[[Rollback], str]]] = {
    phases.STOPPING: stopping.step,
    phases.HOLDING: holding.step,
    phases.RESTORING: restoring.step,
    phases.RECONCILING: reconciling.step,
    phases.RELEASING: releasing.step,
    phases.CLOSING: closing.step,
}
