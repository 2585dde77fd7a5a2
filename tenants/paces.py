"""How often a duty that comes round really looks, and whose turn it is: this process' own, lost with it."""

import math
import time
from typing import Any

from django.db.models import QuerySet


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


class Turns:
    """Takes a part of what is too much for one round, so that in some rounds everything had its turn.

    The oldest first, each time, would let those that stay keep the newest out for good.
    """

    def __init__(self) -> None:
        self._after: Any = None

    def part(self, found: QuerySet[Any, Any], most: int) -> list[Any]:
        """The keys of at most so many, after those of the round before, and from the start again."""
        keys = found.order_by("pk").values_list("pk", flat=True)
        if self._after is None:
            part = list(keys[:most])
        else:
            part = list(keys.filter(pk__gt=self._after)[:most])
            part += keys.filter(pk__lte=self._after)[: most - len(part)]
        self._after = part[-1] if part else None
        return part
