"""How often a duty that comes round often really looks: by this process' own clock, lost with it."""

import math
import time


class Pace:
    """Lets through once in so many seconds; the first time at once."""

    def __init__(self) -> None:
        self._let_through = -math.inf

    def is_time(self, seconds: float) -> bool:
        """Whether so long has passed since it last said yes; then it counts from now."""
        now = time.monotonic()
        if now - self._let_through < seconds:
            return False
        self._let_through = now
        return True

    def forget(self) -> None:
        """Let through at once the next time."""
        self._let_through = -math.inf
