"""Volatile members: what may differ from one dry run to the next without being another change."""

import random
from typing import Any
from uuid import uuid4

import pytest

from approvals import hashing
from approvals.hashing import diff_digest
from canonical import digests
from canonical import json as canonical
from reconciliation import toolschema
from tests.approvals.questions import make_bound

JSON = "application/json"
VOLATILE = ("request_id", "at", "/meta/trace", "/items/*/request_id", "/items/*/seen/at")


def answer(chance: random.Random, **changed: Any) -> bytes:
    """What a provider says to the same question each time: shuffled, dated, numbered."""
    items = [
        {"name": name, "cost": cost, "request_id": str(uuid4()), "seen": {"at": chance.random()}}
        for name, cost in (("a", 1), ("b", 2))
    ]
    content = {
        "items": [shuffled(item, chance) for item in items],
        "tags": {"team": "x"},
        "meta": {"trace": chance.random(), "region": "eu"},
        "at": chance.random(),
        "request_id": str(uuid4()),
        **changed,
    }
    text = canonical.dumps(content).decode()
    return written(shuffled(canonical.loads_object(text), chance)).encode()


def shuffled(value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    members = list(value.items())
    chance.shuffle(members)
    return dict(members)


def written(value: Any) -> str:
    """JSON as a careless client writes it: in the order it has, with blanks."""
    if isinstance(value, dict):
        members = [f"{written(name)}: {written(item)}" for name, item in value.items()]
        return "{ " + ", ".join(members) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return canonical.dumps(value).decode()


def test_a05_a_hundred_dry_runs_of_one_change_have_one_digest() -> None:
    chance = random.Random(5)
    texts = [answer(chance) for _ in range(100)]
    assert len(set(texts)) == 100
    assert len({diff_digest(text, JSON, VOLATILE) for text in texts}) == 1


@pytest.mark.parametrize(
    "changed",
    [{"items": []}, {"tags": {"team": "y"}}, {"meta": {"region": "us"}}, {"more": 1}],
)
def test_whatever_is_not_volatile_counts(changed: dict[str, Any]) -> None:
    chance = random.Random(5)
    plain = diff_digest(answer(chance), JSON, VOLATILE)
    assert diff_digest(answer(chance, **changed), JSON, VOLATILE) != plain


def test_a_change_of_tags_only_keeps_the_hash_where_tags_are_volatile() -> None:
    chance = random.Random(5)
    one, other = answer(chance), answer(chance, tags={"team": "y"})
    with_tags = (*VOLATILE, "tags")
    assert diff_digest(one, JSON, with_tags) == diff_digest(other, JSON, with_tags)


def test_another_list_of_volatile_members_is_another_hash() -> None:
    """Also when nothing of the change is on either list: what is left out was approved as well."""
    hashes = {
        hashing.action_hash(
            make_bound(volatile=names, volatile_version=at, nonce="n", expires_at="t")
        )
        for names, at in [((), "1"), (("at",), "1"), (("at",), "2"), (("at", "id"), "1")]
    }
    assert len(hashes) == 4


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("a", b'{"b":[{"c":1,"d":2},3]}'),
        ("/a", b'{"b":[{"c":1,"d":2},3]}'),
        ("/b/*/c", b'{"a":1,"b":[{"d":2},3]}'),
        ("/b/*", b'{"a":1,"b":[{"c":1,"d":2},3]}'),
        ("/b/c", b'{"a":1,"b":[{"c":1,"d":2},3]}'),
        ("/nowhere/at/all", b'{"a":1,"b":[{"c":1,"d":2},3]}'),
    ],
)
def test_a_volatile_path_takes_out_members_and_nothing_else(path: str, left: bytes) -> None:
    whole = b'{"a":1,"b":[{"c":1,"d":2},3]}'
    assert diff_digest(whole, JSON, (path,)) == digests.sha256_hex(left)


def test_a17_words_for_people_are_no_part_of_what_a_tool_is() -> None:
    schema = {
        "type": "object",
        "description": "A mail",
        "properties": {"description": {"type": "string", "title": "Text", "examples": ["x"]}},
        "required": ["description"],
    }
    meaning = {
        "type": "object",
        "properties": {"description": {"type": "string"}},
        "required": ["description"],
    }
    assert toolschema.meaning(schema) == meaning


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "array"},
        {"required": []},
        {"properties": {"title": {"type": "string", "x-sensitivity": "secret"}}},
        {"properties": {"title": {"enum": ["description"]}}},
        {"properties": {}},
    ],
)
def test_what_a_schema_takes_is_part_of_what_a_tool_is(changed: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    assert toolschema.meaning({**schema, **changed}) != toolschema.meaning(schema)
