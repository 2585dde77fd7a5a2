"""What floors above do for those below, by dotted name: nothing below imports upward."""

from typing import Final

# What the sweeper does for floors above, by the name that it says.
SWEEP_DUTIES: Final = {
    "watch releases": "releases.watching.watch",
    "carry rollbacks": "releases.rollbacks.working.carry",
    "compare shadows": "releases.shadows.sweeping.sweep",
}
# What else than saved plans holds runs for itself: each takes run ids and says of which why.
RUN_HOLDERS: Final = ["releases.rollbacks.holding.named"]
