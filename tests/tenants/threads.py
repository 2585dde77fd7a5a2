"""A second database connection for interleavings: work in a thread that closes what it opened."""

from collections.abc import Callable
from threading import Thread

from django.db import connection


def in_thread(work: Callable[[], object]) -> Thread:
    """Start the work on a connection of its own; join the thread to wait for it."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread
