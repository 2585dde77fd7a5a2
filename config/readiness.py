"""Waits for what `up` needs, saying so, and says what to do when it does not come."""

import json
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException

from django.conf import settings
from django.db import Error, connection
from redis import RedisError

from checkpoints import wakeups
from config.errors import GroundError

Say = Callable[[str], None]
Unanswered = type[Exception] | tuple[type[Exception], ...]
PATIENCE_SECONDS = 60
TELL_EVERY_SECONDS = 5
END_OF_LOG = 1500


def wait_for_database(say: Say) -> None:
    """Return when the database answers. Raises GroundError with its last refusal."""
    try:
        repeat(connection.ensure_connection, Error, "The database does not answer yet", say)
    except Error as error:
        raise GroundError(
            f"The database does not answer: {_last_line(error)}. Start it, or correct"
            " DATABASE_URL, or unset it to use the embedded PostgreSQL."
        ) from error


def wait_for_redis(say: Say) -> None:
    """Return when Redis answers. Raises GroundError with its last refusal."""
    try:
        repeat(_ping, (RedisError, OSError), "Redis does not answer yet", say)
    except (RedisError, OSError) as error:
        raise GroundError(
            f"Redis does not answer: {_last_line(error)}. Start it, or correct REDIS_URL, or unset"
            " it to use the embedded Valkey."
        ) from error


def wait_for_pages(running: Callable[[], bool]) -> None:
    """Return when /readyz says yes. Raises GroundError with the end of the web process' log."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not _pages_ready():
        if time.monotonic() > end or not running():
            log = settings.PLACES.logs / "web.log"
            said = log.read_text(errors="replace")[-END_OF_LOG:] if log.exists() else "nothing"
            raise GroundError(
                f"The web process was not ready after {PATIENCE_SECONDS} s. The end of {log}:\n{said}"
            )
        time.sleep(0.1)


def repeat(
    ask: Callable[[], object],
    unanswered: Unanswered,
    sentence: str,
    say: Say,
    *,
    tell_every: float = TELL_EVERY_SECONDS,
) -> None:
    """Ask until there is an answer; the last refusal is raised when patience ends."""
    end, told = time.monotonic() + PATIENCE_SECONDS / 3, time.monotonic()
    while True:
        try:
            ask()
        except unanswered:
            if time.monotonic() > end:
                raise
            if time.monotonic() - told > tell_every:
                told = time.monotonic()
                say(sentence)
            time.sleep(0.1)
        else:
            return


def _ping() -> None:
    with wakeups.connection() as client:
        client.ping()


def _pages_ready() -> bool:
    # Not through urllib, which would ask a proxy named in the environment for our own loopback.
    request = HTTPConnection("127.0.0.1", settings.PORT, timeout=5)
    try:
        request.request("GET", "/readyz", headers={"Host": settings.ALLOWED_HOSTS[0]})
        answer = request.getresponse()
        return answer.status == 200 and "status" in json.loads(answer.read())  # noqa: PLR2004 - OK
    except (OSError, HTTPException, ValueError):
        return False
    finally:
        request.close()


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1].strip().rstrip(".")
