"""How long a call may still take, by a clock that nobody sets."""

import time

# Of a call's budget. At its very end the caller is killed, and what a tool heard must be kept.
USABLE = 0.9


class Deadline:
    """The end of one call. Every step of the call asks what is left, so the whole stays within it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left. Raises `TimeoutError` when none are."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("the time for this call is over")
        return seconds


def within(budget_seconds: float) -> Deadline:
    """The deadline of a call that may take `budget_seconds`, with time left to keep its answer."""
    return Deadline(budget_seconds * USABLE)
