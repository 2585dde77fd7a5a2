"""The sweeper's duty for releases: the look that is due is taken, and what must be stopped is stopped.

In every place that sends runs somewhere, also while a move waits for a person (flagger#1801).
"""

import logging
from typing import Final
from uuid import UUID

from canonical.redaction import ours
from releases import moving
from releases.gates.policies import BadPolicyError
from releases.looks import taking
from releases.models import UNDER_WAY, Release
from releases.numbers.audit import Ends
from tenants.keys import hiding
from tenants.paces import Pace, Turns

log = logging.getLogger(__name__)

EVERY_SECONDS: Final = 5.0
MOST: Final = 200
_pace, _turns = Pace(), Turns()


def watch() -> int:
    """Look at the releases under way, at most every five seconds; returns how many were stopped."""
    if not _pace.is_time(EVERY_SECONDS):
        return 0
    under_way = Release.objects.filter(place__in=UNDER_WAY)
    ends = Ends()
    return sum(_watched(each, ends) for each in _turns.part(under_way, MOST))


def _watched(release_id: UUID, ends: Ends) -> int:
    try:
        taking.take_due(release_id)
    except BadPolicyError as error:
        # It allows nothing then, and what has to stop it is found without it.
        log.warning("release %s: its policy cannot be read: %s", release_id, error)
    release = Release.objects.select_related("tenant", "candidate", "stable").get(pk=release_id)
    because = taking.stopping(release, ends)
    if not because:
        return 0
    why = ours("Stopped by its gates: %(what)s.", what=hiding.text(", ".join(because)))
    return int(moving.stop_by_machine(release_id, why=why, actor=taking.GATES))
