"""One field that moves changes the hash of an edit, and is named."""

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from approvals.edits import hashing
from approvals.edits.hashing import Bound

AT = datetime(2026, 11, 29, tzinfo=UTC)
BOUND = Bound(
    kind="edit_state",
    tenant=1,
    run_id="r",
    case_id="c",
    author=2,
    reason="because",
    combo="c" * 64,
    fence=3,
    head_seq=4,
    head_digest="d" * 64,
    parent_seq=4,
    parent_digest="d" * 64,
    was_schema=1,
    was_next_node="n",
    was_state="s",
    schema=1,
    next_node="n",
    state="e" * 64,
    diff_digest="f" * 64,
).sealed(nonce="0" * 32, expires_at=AT)


@pytest.mark.parametrize("name", [field.name for field in fields(Bound)])
def test_each_field_is_bound_and_named_when_it_moves(name: str) -> None:
    value = getattr(BOUND, name)
    other: dict[str, Any] = {name: value + 1 if isinstance(value, int) else f"{value}x"}
    moved = replace(BOUND, **other)
    assert hashing.edit_hash(moved) != hashing.edit_hash(BOUND)
    assert [each.field for each in hashing.differences(BOUND, moved)] == [name]


def test_bytes_read_back_as_they_were_and_nothing_else_does() -> None:
    content = hashing.bound_bytes(BOUND)
    assert hashing.from_bytes(content) == BOUND
    for other in (content + b" ", b"{}", content.replace(b'"nonce"', b'"nonse"')):
        with pytest.raises(ValueError, match=r"field|canonical|JSON|data"):
            hashing.from_bytes(other)


def test_an_unsealed_question_has_no_hash() -> None:
    with pytest.raises(ValueError, match="nonce"):
        hashing.edit_hash(replace(BOUND, nonce=""))
