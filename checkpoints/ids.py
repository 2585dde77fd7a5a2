"""Run ids: UUID version 7, made in Python because `uuidv7()` exists only from PostgreSQL 18 on."""

import os
import time
import uuid


def uuid7(at_ms: int | None = None) -> uuid.UUID:
    """A time-ordered UUID (RFC 9562 §5.7). `at_ms` is Unix time in milliseconds, default now.

    Checkpoints and events are partitioned by ranges of this value, so a run's whole chain lies
    in the partition of its start.
    """
    milliseconds = int(time.time() * 1000) if at_ms is None else at_ms
    value = milliseconds << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    return uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62)


def lowest_id_at(at_ms: int) -> uuid.UUID:
    """The smallest id a run started at or after `at_ms` can have: a partition's bound."""
    return uuid.UUID(int=at_ms << 80)
