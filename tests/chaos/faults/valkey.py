"""Valkey emptied, restarted without data, forgetting under pressure, set back, paused, standing still."""

import random
import signal
from contextlib import suppress

import redis

from checkpoints.wakeups import QUEUE
from tests.chaos import crew
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

BELL = f"rq:queue:{QUEUE}"
SOMETHING_SECONDS = 3
SMALL_BYTES = 64 * 1024
PIECES, PIECE = 40, "x" * 4096
PAUSE_MS = 4000


class Emptied(Fault):
    """FLUSHALL: wake-ups, workers and locks of RQ are forgotten."""

    name = "valkey_emptied"
    group = "valkey"
    share = 3

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with arena.valkey.connect() as connection:
            if not arena.waited(lambda: bool(connection.llen(BELL)), SOMETHING_SECONDS):
                return False
            return bool(connection.flushall())


class Restarted(Fault):
    """It is killed and comes back with nothing."""

    name = "valkey_restarted"
    group = "valkey"
    share = 2
    lasts = (0.2, 3.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        arena.valkey.stop(signal.SIGKILL)
        return not arena.valkey.answers()

    def heal(self, arena: Arena) -> None:
        arena.valkey.start()

    def is_healed(self, arena: Arena) -> bool:
        return arena.valkey.answers()


class Evicting(Fault):
    """It may keep next to nothing, and throws away whatever it likes."""

    name = "valkey_evicting"
    group = "valkey"
    share = 2
    lasts = (1.0, 3.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with arena.valkey.connect() as connection:
            before = _evicted(connection)
            used = int(connection.info("memory")["used_memory"])
            connection.config_set("maxmemory-policy", "allkeys-random")
            connection.config_set("maxmemory", used + SMALL_BYTES)
            for number in range(PIECES):
                with suppress(redis.ResponseError):
                    connection.set(f"chaos:{number}", PIECE)
            if _evicted(connection) > before:
                return True
        self.heal(arena)
        return False

    def heal(self, arena: Arena) -> None:
        with arena.valkey.connect() as connection:
            connection.config_set("maxmemory", 128 * 1024**2)
            connection.config_set("maxmemory-policy", "noeviction")
            connection.delete(*(f"chaos:{number}" for number in range(PIECES)))


class SetBack(Fault):
    """What it held some seconds ago is there again: jobs of the past, and none of those since."""

    name = "valkey_set_back"
    group = "valkey"
    share = 2
    lasts = (1.0, 3.0)

    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with arena.valkey.connect() as connection:
            arena.waited(lambda: bool(connection.llen(BELL)), SOMETHING_SECONDS)
            for key in connection.keys("*"):
                content = connection.dump(key)
                if content is not None:
                    self.kept[key] = content
        return bool(self.kept)

    def heal(self, arena: Arena) -> None:
        with arena.valkey.connect() as connection:
            connection.flushall()
            for key, content in self.kept.items():
                connection.restore(key, 0, content, replace=True)


class Paused(Fault):
    """CLIENT PAUSE: it takes every command, and answers none of them for a while."""

    name = "valkey_paused"
    group = "valkey"
    lasts = (PAUSE_MS / 1000, PAUSE_MS / 1000)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with arena.valkey.connect() as connection:
            connection.client_pause(PAUSE_MS)
        return not _answers_at_once(arena)

    def is_healed(self, arena: Arena) -> bool:
        return _answers_at_once(arena)


class StandsStill(Fault):
    """SIGSTOP: its port is open, and nobody is there."""

    name = "valkey_stands_still"
    group = "valkey"
    lasts = (1.0, 5.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        return crew.stop(_pid(arena))

    def heal(self, arena: Arena) -> None:
        crew.carry_on(_pid(arena))


def _pid(arena: Arena) -> int:
    assert arena.valkey.process is not None
    return arena.valkey.process.pid


def _evicted(connection: redis.Redis) -> int:
    return int(connection.info("stats")["evicted_keys"])


def _answers_at_once(arena: Arena) -> bool:
    with (
        redis.Redis.from_url(arena.valkey.url(), socket_timeout=0.5) as connection,
        suppress(redis.RedisError),
    ):
        return bool(connection.set("chaos:asked", "1"))
    return False


KINDS: tuple[type[Fault], ...] = (Emptied, Restarted, Evicting, SetBack, Paused, StandsStill)
