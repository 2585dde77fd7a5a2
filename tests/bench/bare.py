"""The yardstick: one prepared one-row insert and its commit on the bare database."""

import secrets
import time

import psycopg
from django.db import connection


def bare_commit_ms(commits: int) -> float:
    """Milliseconds per one-row insert of 256 bytes, each its own transaction."""
    connection.ensure_connection()
    payload = secrets.token_bytes(256)
    with psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(
            b"CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, payload bytea NOT NULL)"
        )
        began = time.perf_counter()
        for _ in range(commits):
            cursor.execute(b"INSERT INTO bare (payload) VALUES (%s)", [payload], prepare=True)
        return (time.perf_counter() - began) * 1000 / commits
