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
SINCE_SECONDS, MOST_SINCE = 8, 4
# Nobody but RQ's workers takes these away, and they do it as they end in order.
OURS = "rq:worker*"
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
    """It may keep next to nothing, and throws away whatever it likes: what RQ knows of workers, too."""

    name = "valkey_evicting"
    group = "valkey"
    share = 2
    lasts = (1.0, 3.0)

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with arena.valkey.connect() as connection:
            before, ours = _evicted(connection), connection.keys(OURS)
            used = int(connection.info("memory")["used_memory"])
            connection.config_set("maxmemory-policy", "allkeys-random")
            connection.config_set("maxmemory", used + SMALL_BYTES)
            for number in range(PIECES if ours else 0):
                with suppress(redis.ResponseError):
                    connection.set(f"chaos:{number}", PIECE)
                if _evicted(connection) > before and connection.exists(*ours) < len(ours):
                    return True
        self.heal(arena)
        return False

    def heal(self, arena: Arena) -> None:
        with arena.valkey.connect() as connection:
            connection.config_set("maxmemory", 128 * 1024**2)
            connection.config_set("maxmemory-policy", "noeviction")
            connection.delete(*(f"chaos:{number}" for number in range(PIECES)))


class SetBack(Fault):
    """What it held a moment ago is there again: jobs of the past, and none of those since."""

    name = "valkey_set_back"
    group = "valkey"
    share = 2

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with arena.valkey.connect() as connection:
            arena.waited(lambda: bool(connection.llen(BELL)), SOMETHING_SECONDS)
            dumps = {key: connection.dump(key) for key in connection.keys("*")}
            kept = {key: content for key, content in dumps.items() if content is not None}
            wanted = rng.randint(1, MOST_SINCE)

            def have_come() -> bool:
                return len(set(connection.keys("*")) - set(kept)) >= wanted

            if not kept or not arena.waited(have_come, SINCE_SECONDS):
                return False
            # In one go: what was there right before, and what is there right after.
            with connection.pipeline(transaction=True) as at_once:
                at_once.keys("*").flushall()
                for key, content in kept.items():
                    at_once.restore(key, 0, content, replace=True)
                before, *_, after = at_once.keys("*").execute()
            return bool(set(before) - set(after))


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
