"""Looks again for waiting requests, beside the sweeper: few at a time, and nobody waits for them.

Each look is a thread of its own with its own connection. A tool that hangs keeps its own threads,
at most as many as it may be asked at once, and nothing else; when the process ends they end.
"""

import logging
import threading
from collections import defaultdict

from django.db import connections

from approvals.drift.looks import Look
from reconciliation import freshness
from reconciliation.tools import Tool

log = logging.getLogger(__name__)

_under_way: defaultdict[str, set[threading.Thread]] = defaultdict(set)


def look_again() -> int:
    """Start the looks that are due and for which there is room; returns how many."""
    return sum(_start(tool.name, each) for tool in freshness.tools() for each in _claimed(tool))


def wait(seconds: float) -> bool:
    """Wait for what is under way, so long at most; True when nothing is any more."""
    for thread in [thread for threads in _under_way.values() for thread in threads]:
        thread.join(seconds)
    return not any(_alive(name) for name in list(_under_way))


def _claimed(tool: Tool) -> list[Look]:
    room = tool.look_again.at_once - len(_alive(tool.name))
    return freshness.claim(tool, room=room) if room > 0 else []


def _start(name: str, claimed: Look) -> int:
    thread = threading.Thread(target=_look, args=[claimed], name=f"look {name}", daemon=True)
    _under_way[name].add(thread)
    thread.start()
    return 1


def _alive(name: str) -> set[threading.Thread]:
    _under_way[name] = {thread for thread in _under_way[name] if thread.is_alive()}
    return _under_way[name]


def _look(claimed: Look) -> None:
    try:
        freshness.look(claimed)
    except Exception:  # the claim runs out, and somebody looks again
        log.exception("a look was not kept")
    finally:
        connections.close_all()
