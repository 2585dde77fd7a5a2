"""Where sign-in attempts are counted: in the shared cache, or in each process while that is away.

Signing in must work while Valkey is gone, just then somebody has to look; and stay limited: each
process goes on counting for itself, so nobody is let off and nobody is locked out for good.
"""

import json
import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

T = TypeVar("T")
ANSWER_SECONDS = 0.2
AWAY_SECONDS = 5.0

log = logging.getLogger(__name__)


class JsonSerializer:
    """Values as JSON: what comes from the network is never unpickled."""

    def dumps(self, value: object) -> bytes:
        return json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)


class AttemptCache(BaseCache):
    """A cache backend: Valkey at `LOCATION`, and this process's memory when it does not answer."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        options = {
            "serializer": JsonSerializer,
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": ANSWER_SECONDS,
            "socket_connect_timeout": ANSWER_SECONDS,
        }
        self._shared = RedisCache(server, {**params, "OPTIONS": options})
        self._own = LocMemCache("attempts", params)
        self._away_until = 0.0

    def add(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        return self._ask(lambda cache: cache.add(key, value, timeout, version))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._ask(lambda cache: cache.get(key, default, version))

    def set(
        self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        self._ask(lambda cache: cache.set(key, value, timeout, version))

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._ask(lambda cache: cache.touch(key, timeout, version))

    def delete(self, key: str, version: int | None = None) -> bool:
        return self._ask(lambda cache: cache.delete(key, version))

    def clear(self) -> None:
        self._ask(lambda cache: cache.clear())

    def _ask(self, question: Callable[[BaseCache], T]) -> T:
        # One sign-in asks a dozen times; a server that hangs is not waited for each time.
        if time.monotonic() >= self._away_until:
            try:
                return question(self._shared)
            except RedisError as error:
                self._away_until = time.monotonic() + AWAY_SECONDS
                log.warning("sign-in attempts are counted in this process alone: %s", error)
        return question(self._own)
