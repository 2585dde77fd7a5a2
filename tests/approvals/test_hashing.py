"""The action hash: every bound field counts, and nothing else does."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from approvals import hashing
from approvals.hashing import Bound, Difference
from tests.approvals.questions import make_bound

EXPIRES = datetime(2031, 5, 6, 7, 8, 9, 10, tzinfo=UTC)
SEALED = make_bound().sealed(nonce="n1", expires_at=EXPIRES)

OTHER: dict[str, Any] = {
    "tenant": 8,
    "run_id": "00000000-0000-0000-0000-000000000009",
    "action_id": "00000000-0000-0000-0000-000000000008",
    "tool": "mail.send",
    "tool_schema_digest": "6" * 64,
    "acting_credential": "somebody@remote",
    "parameters_digest": "7" * 64,
    "rules_version": "s" * 64,
    "resources": {"origin/main": "b" * 40, "origin/gone": ""},
    "diff_digest": "8" * 64,
    "volatile": ("date",),
    "volatile_version": "2",
    "nonce": "n2",
    "expires_at": "2031-05-06T07:08:09.000011+00:00",
}


def test_the_cases_below_cover_every_bound_field() -> None:
    assert set(OTHER) == {field.name for field in fields(Bound)}


@pytest.mark.parametrize("field", sorted(OTHER))
def test_one_field_that_moves_changes_the_hash(field: str) -> None:
    moved = replace(SEALED, **{field: OTHER[field]})
    assert hashing.action_hash(moved) != hashing.action_hash(SEALED)


@pytest.mark.parametrize("field", sorted(OTHER))
def test_the_field_that_moved_is_named(field: str) -> None:
    moved = hashing.differences(SEALED, replace(SEALED, **{field: OTHER[field]}))
    assert len(moved) == 1
    assert moved[0].field == {"resources": "resources.origin/main"}.get(field, field)
    assert moved[0].saw != moved[0].now


def test_nothing_moved_means_no_difference() -> None:
    assert hashing.differences(SEALED, SEALED) == []


def test_absence_is_a_version() -> None:
    unseen = replace(SEALED, resources={"origin/main": "a" * 40})
    appeared = replace(SEALED, resources={"origin/main": "a" * 40, "origin/gone": "c" * 40})
    assert len({hashing.action_hash(bound) for bound in (SEALED, unseen, appeared)}) == 3
    assert hashing.differences(SEALED, appeared) == [
        Difference("resources.origin/gone", "", "c" * 40)
    ]


def test_the_order_of_resources_does_not_count() -> None:
    turned = replace(SEALED, resources=dict(reversed(list(SEALED.resources.items()))))
    assert hashing.action_hash(turned) == hashing.action_hash(SEALED)


def test_the_hash_is_stable_across_releases() -> None:
    """Stored hashes must stay valid: a new release may not compute another one."""
    assert hashing.action_hash(SEALED) == (
        "3e278e47fde79ecfbadad0012222edab9bae52e4152ac879d9c6a957a6124c8b"
    )


def test_content_that_is_not_sealed_has_no_hash() -> None:
    for bound in (make_bound(), replace(SEALED, nonce=""), replace(SEALED, expires_at="")):
        with pytest.raises(ValueError, match="nonce and the expiry"):
            hashing.action_hash(bound)


def test_content_leaves_the_question_out() -> None:
    other = make_bound().sealed(nonce="n2", expires_at=EXPIRES + timedelta(days=1))
    assert hashing.action_hash(other) != hashing.action_hash(SEALED)
    assert other.content() == SEALED.content() == make_bound()


def test_bytes_read_back_as_the_same_content() -> None:
    volatile = replace(SEALED, volatile=("date", "id"))
    for bound in (SEALED, volatile):
        assert hashing.from_bytes(hashing.bound_bytes(bound)) == bound


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"{}",
        b"not json",
        hashing.bound_bytes(SEALED).replace(b'"nonce":"n1"', b'"nonce":"n1","more":1'),
        hashing.bound_bytes(SEALED).replace(b'{"acting', b'{ "acting'),
    ],
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        hashing.from_bytes(content)


def test_the_diff_digest_leaves_only_volatile_members_out() -> None:
    def digest(diff: bytes) -> str:
        return hashing.diff_digest(diff, "application/json", ("date",))

    assert digest(b'{"date":1,"to":"a"}') == digest(b'{"date":2,"to":"a"}')
    assert digest(b'{"date":1,"to":"a"}') != digest(b'{"date":1,"to":"b"}')


def test_without_volatile_members_every_byte_of_the_diff_counts() -> None:
    plain = hashing.diff_digest(b'{"a":1}', "application/json", ())
    assert plain != hashing.diff_digest(b'{"a": 1}', "application/json", ())


@pytest.mark.parametrize(
    ("diff", "media"),
    [(b"{}", "text/x-diff"), (b"[1]", "application/json"), (b"-a\n+b", "text/plain")],
)
def test_text_cannot_have_volatile_members(diff: bytes, media: str) -> None:
    with pytest.raises(ValueError, match="volatile"):
        hashing.diff_digest(diff, media, ("date",))


def test_a_time_is_written_in_utc_with_microseconds() -> None:
    east = EXPIRES.astimezone(timezone(timedelta(hours=9)))
    assert hashing.timestamp(east) == "2031-05-06T07:08:09.000010+00:00"
    assert hashing.timestamp(EXPIRES.replace(microsecond=0)).endswith("09.000000+00:00")
    with pytest.raises(ValueError, match="zone"):
        hashing.timestamp(EXPIRES.replace(tzinfo=None))
