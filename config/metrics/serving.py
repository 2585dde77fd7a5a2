"""The process that serves /metrics, and nothing else: to whoever has the token, and to nobody else.

A process of its own, as the workers' database user: PostgreSQL shows the web process rows of the
person's tenants only, and here nobody is a person. There are no sessions, no cookies and no pages.
"""

import hmac
import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from django.db import DatabaseError, connection
from prometheus_client import CollectorRegistry, generate_latest

from config.metrics.collecting import Facts

log = logging.getLogger(__name__)

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
PATH: Final = "/metrics"
# Whoever asks more often hears the same again: asking costs the record no more than this.
FRESH_SECONDS: Final = 5.0
HEADERS: Final = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
)
OK, NOT_FOUND, REFUSED = "200 OK", "404 Not Found", "401 Unauthorized"
WRONG_METHOD, AWAY = "405 Method Not Allowed", "503 Service Unavailable"

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class App:
    """A WSGI application of one address. With no token it serves nothing at all."""

    def __init__(self, token: str, *, by_tenant: bool) -> None:
        self._token = token
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(Facts(by_tenant=by_tenant))
        self._one_at_a_time = threading.Lock()
        self._last, self._counted_at = b"", -FRESH_SECONDS

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        status, body, more = self._answer(environ)
        length = ("Content-Length", str(len(body)))
        start_response(status, [("Content-Type", TEXT), length, *HEADERS, *more])
        return [] if environ.get("REQUEST_METHOD") == "HEAD" else [body]

    def _answer(self, environ: Environ) -> tuple[str, bytes, list[tuple[str, str]]]:
        if not self._token or environ.get("PATH_INFO") != PATH:
            return NOT_FOUND, b"There is nothing here.\n", []
        if not self._is_known(environ.get("HTTP_AUTHORIZATION", "")):
            said = b"Send the token: Authorization: Bearer \xe2\x80\xa6\n"
            return REFUSED, said, [("WWW-Authenticate", 'Bearer realm="metrics"')]
        if environ.get("REQUEST_METHOD") not in ("GET", "HEAD"):
            return WRONG_METHOD, b"Metrics can only be read.\n", [("Allow", "GET, HEAD")]
        try:
            return OK, self._metrics(), []
        except DatabaseError as error:
            log.warning("no metrics: %s", error)
            return AWAY, b"PostgreSQL does not answer.\n", []

    def _is_known(self, header: str) -> bool:
        scheme, _, given = header.partition(" ")
        # Bytes, because a header may hold what is no ASCII; in constant time.
        same = hmac.compare_digest(given.strip().encode("latin-1", "replace"), self._token.encode())
        return same and scheme.lower() == "bearer"

    def _metrics(self) -> bytes:
        with self._one_at_a_time:
            if time.monotonic() - self._counted_at >= FRESH_SECONDS:
                try:
                    self._last = generate_latest(self._registry)
                    self._counted_at = time.monotonic()
                finally:
                    connection.close()
            return self._last
