"""Work beside the sweeper: few threads of a kind, and nobody waits for them.

Each has a connection of its own. What hangs keeps the room of its kind and nothing else; when the
process ends they end.
"""

import threading
from collections import defaultdict
from collections.abc import Callable

from django.db import connections


class Beside:
    """The threads that one duty of the sweeper has under way, by kind."""

    def __init__(self) -> None:
        self._under_way: defaultdict[str, set[threading.Thread]] = defaultdict(set)

    def room(self, kind: str, *, at_once: int) -> int:
        """How many more of this kind may be started; below 1 none."""
        return at_once - len(self._alive(kind))

    def start(self, kind: str, work: Callable[[], None]) -> None:
        """Do it in a thread. What it raises is for itself to handle."""
        thread = threading.Thread(target=_alone, args=[work], name=kind, daemon=True)
        self._under_way[kind].add(thread)
        thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for each under way, so long at most; True when none is any more."""
        for thread in [thread for threads in self._under_way.values() for thread in threads]:
            thread.join(seconds)
        return not any(self._alive(kind) for kind in list(self._under_way))

    def _alive(self, kind: str) -> set[threading.Thread]:
        self._under_way[kind] = {each for each in self._under_way[kind] if each.is_alive()}
        return self._under_way[kind]


def _alone(work: Callable[[], None]) -> None:
    try:
        work()
    finally:
        connections.close_all()
