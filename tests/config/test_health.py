"""/healthz and /readyz say what is so, to anybody, without a sign-in."""

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings


@pytest.mark.django_db
def test_a_process_with_all_it_needs_is_ready(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "up"}
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "database": "ready", "redis": "ready"}
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_without_redis_the_process_is_degraded_and_still_serves(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nobody.sock"
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "degraded"


@pytest.mark.django_db
def test_a_missing_migration_is_not_ready(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'checkpoints'")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["database"] == "migrations missing"


@pytest.mark.django_db
def test_asking_is_all_one_may_do(client: Client) -> None:
    assert client.post("/healthz").status_code == 405
