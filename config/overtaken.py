"""A web process answers only on tables it knows: an older one says that it is being replaced."""

import threading
import time
from collections.abc import Callable
from typing import Final

import psycopg
from django.conf import settings
from django.db import connections
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from tenants import tables
from tenants.pipelines import Rows

LOOK_EVERY_SECONDS: Final = 5.0
# What says whether this process answers people must itself be answered.
ALWAYS: Final = ("/healthz", "/readyz")


class KnownTablesOnly:
    """Nothing is read or decided by code that does not know the tables; what was begun is finished.

    The owner is who migrates, and may look on.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._lock = threading.Lock()
        self._looked: float | None = None
        self._knows = True

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.ROLE != "web" or request.path in ALWAYS or self._may_answer():
            return self.get_response(request)
        # Rendered without the request: a person, a tenant, a count would ask the database.
        page = render_to_string("overtaken.html")
        return HttpResponse(page, status=503, headers={"Retry-After": "5"})

    def _may_answer(self) -> bool:
        """What one thread found a moment ago holds for all, and while it looks anew.

        Only for the first look does everybody wait. A database that does not answer would else let
        each page wait for the one before it.
        """
        if self._is_time() and self._lock.acquire(blocking=self._looked is None):
            try:
                if self._is_time():  # whoever waited finds what was found
                    self._knows = _knows(else_=self._knows)
                    self._looked = time.monotonic()
            finally:
                self._lock.release()
        return self._knows

    def _is_time(self) -> bool:
        return self._looked is None or time.monotonic() - self._looked >= LOOK_EVERY_SECONDS


def _knows(*, else_: bool) -> bool:
    """Asked on a connection of its own: before anything of a request has touched Django's."""
    try:
        with psycopg.connect(**connections["default"].get_connection_params()) as own:
            return tables.standing(lambda each: _rows(own, each)).is_ == tables.KNOWN
    except psycopg.Error:
        return else_  # the page itself says that the database does not answer


def _rows(own: psycopg.Connection, statement: str) -> Rows:
    return own.execute(statement.encode()).fetchall()
