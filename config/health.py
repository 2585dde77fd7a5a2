"""What a load balancer asks: is this process up, and can it answer people now."""

from typing import Final

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis import RedisError

from checkpoints import wakeups
from tenants import tables

READY, DEGRADED, NOT_READY = "ready", "degraded", "not ready"
TABLES: Final = {
    tables.KNOWN: READY,
    tables.OLDER: "migrations missing",
    tables.NEWER: "newer than this code",
}


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the process answers at all; asks nothing else."""
    return JsonResponse({"status": "up"})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and its tables are those this code knows, else 503.

    Without Redis the state is degraded, not lost: the sweeper finds what no wake-up announces.
    """
    database, redis = database_state(), redis_state()
    status = NOT_READY if database != READY else READY if redis == READY else DEGRADED
    return JsonResponse(
        {"status": status, "database": database, "redis": redis},
        status=503 if status == NOT_READY else 200,
    )


def database_state() -> str:
    """`ready`, `not reachable`, `migrations missing` or `newer than this code`."""
    try:
        return TABLES[tables.standing().is_]
    except Error:
        # The next request gets a new connection instead of the broken one.
        connection.close()
        return "not reachable"


def redis_state() -> str:
    """`ready` or `not reachable`."""
    try:
        with wakeups.connection() as client:
            client.ping()
    except (RedisError, OSError):
        return "not reachable"
    return READY
