"""What a load balancer asks: is this process up, and can it answer people now."""

from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis import RedisError

from checkpoints import wakeups

READY, DEGRADED, NOT_READY = "ready", "degraded", "not ready"
MIGRATIONS_MISSING = "migrations missing"


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
    """200 when the database answers and has every migration, else 503.

    Without Redis the state is degraded, not lost: the sweeper finds what no wake-up announces.
    """
    database, redis = database_state(), redis_state()
    status = NOT_READY if database != READY else READY if redis == READY else DEGRADED
    return JsonResponse(
        {"status": status, "database": database, "redis": redis},
        status=503 if status == NOT_READY else 200,
    )


def database_state() -> str:
    """`ready`, `not reachable` or `migrations missing`."""
    try:
        applied = MigrationRecorder(connection).applied_migrations()
    except Error:
        # The next request gets a new connection instead of the broken one.
        connection.close()
        return "not reachable"
    return READY if _on_disk() <= applied.keys() else MIGRATIONS_MISSING


def redis_state() -> str:
    """`ready` or `not reachable`."""
    try:
        with wakeups.connection() as client:
            client.ping()
    except (RedisError, OSError):
        return "not reachable"
    return READY


@cache
def _on_disk() -> set[tuple[str, str]]:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return set(loader.disk_migrations or {})
