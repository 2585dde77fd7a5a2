"""Run ids: UUID version 7."""

import uuid

from checkpoints.ids import lowest_id_at, uuid7


def test_an_id_is_a_uuid_of_version_7() -> None:
    made = uuid7()
    assert (made.version, made.variant) == (7, uuid.RFC_4122)


def test_ids_sort_by_the_time_they_were_made() -> None:
    at = 1_800_000_000_000
    assert uuid7(at) < uuid7(at + 1) < uuid7(at + 1_000_000)


def test_ids_of_one_millisecond_differ() -> None:
    assert len({uuid7(1) for _ in range(1000)}) == 1000


def test_a_partition_bound_parts_earlier_ids_from_later_ones() -> None:
    at = 1_800_000_000_000
    assert uuid7(at - 1) < lowest_id_at(at) <= uuid7(at)
