"""Headers: what a checkpoint's digest covers."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from canonical import digests
from canonical import json as canonical
from checkpoints.headers import (
    ActionMark,
    Ancestry,
    Step,
    genesis,
    header_bytes,
    parent_seq,
    written,
)

RUN = UUID(int=7)
BEFORE = Ancestry(tenant_id=1, run_id=RUN, combo_digest="c" * 64, seq=4, digest="d" * 64, done=4)
STEP = Step(node="a", next_node="b", state=b'{"x":1}', schema=1)
MARK = ActionMark("id", "1" * 64, "happened:answered", "2" * 64)
OTHER = {"action_id": "x", "parameters_digest": "3" * 64, "outcome": "x", "receipt_digest": ""}


def test_a_header_says_who_where_and_what() -> None:
    header = canonical.loads_object(header_bytes(BEFORE, STEP, seq=5))
    assert header == {
        "protocol": 1,
        "tenant": 1,
        "run": str(RUN),
        "seq": 5,
        "parent": written("d" * 64),
        "node": "a",
        "next": "b",
        "done": 5,
        "combo": written("c" * 64),
        "schema": 1,
        "state": written(digests.sha256_hex(b'{"x":1}')),
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"tenant_id": 2},
        {"run_id": UUID(int=8)},
        {"combo_digest": "e" * 64},
        {"seq": 3},
        {"digest": "e" * 64},
        {"done": 3},
        {"saw": {"remote": ["1", "a"]}},
        {"proposals": {"a": 1}},
    ],
)
def test_every_part_of_the_ancestry_changes_the_header(changed: dict[str, Any]) -> None:
    other = replace(BEFORE, **changed)
    assert header_bytes(other, STEP, seq=5) != header_bytes(BEFORE, STEP, seq=5)


@pytest.mark.parametrize(
    "changed",
    [
        {"node": "c"},
        {"next_node": "c"},
        {"state": b'{"x":2}'},
        {"schema": 2},
        {"actions": (MARK,)},
        {"saw": {"remote": ["1", "a"]}},
        {"proposes": True},
        {"stop": "rejected"},
    ],
)
def test_every_part_of_the_step_changes_the_header(changed: dict[str, Any]) -> None:
    other = replace(STEP, **changed)
    assert header_bytes(BEFORE, other, seq=5) != header_bytes(BEFORE, STEP, seq=5)


@pytest.mark.parametrize("part", OTHER)
def test_every_part_of_an_action_mark_changes_the_header(part: str) -> None:
    other = replace(STEP, actions=(replace(MARK, **{part: OTHER[part]}),))
    marked = replace(STEP, actions=(MARK,))
    assert header_bytes(BEFORE, other, seq=5) != header_bytes(BEFORE, marked, seq=5)


def test_what_was_seen_is_inherited_and_overwritten_by_newer_versions() -> None:
    before = replace(BEFORE, saw={"a": ["1", "read"], "b": ["1", "read"]})
    step = replace(STEP, saw={"b": ["2", "again"]})
    header = canonical.loads_object(header_bytes(before, step, seq=5))
    assert header["saw"] == {"a": ["1", "read"], "b": ["2", "again"]}


def test_proposals_are_counted_per_node() -> None:
    before = replace(BEFORE, proposals={"a": 1, "z": 3})
    header = canonical.loads_object(header_bytes(before, replace(STEP, proposes=True), seq=5))
    assert header["proposals"] == {"a": 2, "z": 3}


@pytest.mark.parametrize("at", range(4))
def test_a_first_checkpoint_is_bound_to_tenant_run_combo_and_input(at: int) -> None:
    parts = [1, RUN, "c" * 64, "i" * 64]
    changed = [*parts]
    changed[at] = [2, UUID(int=8), "x" * 64, "x" * 64][at]
    assert genesis(*changed) != genesis(*parts)  # type: ignore[arg-type]


def test_a_header_names_its_parent_only_when_the_run_went_back() -> None:
    after = canonical.loads_object(header_bytes(BEFORE, STEP, seq=5))
    back = canonical.loads_object(header_bytes(replace(BEFORE, seq=0), STEP, seq=5))
    assert "parent_seq" not in after
    assert (parent_seq(after), parent_seq(back)) == (4, 0)


def test_digests_are_written_so_that_different_ones_stay_different() -> None:
    made = {written(digests.sha256_hex(bytes([number]))) for number in range(256)}
    assert len(made) == 256
    assert all(len(digest) == 43 and digest.isascii() for digest in made)
