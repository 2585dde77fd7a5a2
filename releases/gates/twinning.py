"""How many live runs get a shadow twin on the candidate, and how many of those are drills. Pure.

Shares are of 10,000 business keys, so a run's twin does not depend on who asks, or when.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from checkpoints import arms
from checkpoints.arms import PLACES

Json = Any

MOST_AT_ONCE: Final = 1_000
# After which of its first checkpoints the worker of a drill dies.
LATEST_DEATH: Final = 3


@dataclass(frozen=True)
class Twinning:
    """`share` of the stable runs get a twin while the release is a shadow, `share_of_canary` beside a
    canary; `drills` of the twins are killed once. At most `at_once` are at work at a time.
    """

    share: int = 5_000
    share_of_canary: int = 500
    drills: int = 2_000
    at_once: int = 10

    def as_json(self) -> dict[str, Json]:
        """As a policy keeps it."""
        return asdict(self)

    def wrong(self) -> str:
        """What is out of range, as a path and a sentence; "" when nothing is."""
        for name in ("share", "share_of_canary", "drills"):
            if not 0 <= getattr(self, name) <= PLACES:
                return f"/{name}: is not a whole number from 0 to {PLACES:,}"
        if not 1 <= self.at_once <= MOST_AT_ONCE:
            return f"/at_once: is not a whole number from 1 to {MOST_AT_ONCE:,}"
        return ""


USUAL: Final = Twinning()


def read(kept: Mapping[str, Json]) -> Twinning:
    """The settings of a JSON object. Raises ValueError with a path when it is none of this form."""
    for name in sorted(kept.keys() ^ USUAL.as_json().keys()):
        raise ValueError(f"/{name}: is {'unknown' if name in kept else 'missing'}")
    for name, value in kept.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"/{name}: is not a whole number")  # noqa: TRY004 - of a document
    found = Twinning(**kept)
    if found.wrong():
        raise ValueError(found.wrong())
    return found


def dies_at(salt: str, business_key: str) -> int:
    """The checkpoint after which the worker of a drill dies; the same however often it is asked."""
    # A salt of its own: this one has said already who is a drill.
    return 1 + arms.place(f"{salt}/death", business_key) % LATEST_DEATH
