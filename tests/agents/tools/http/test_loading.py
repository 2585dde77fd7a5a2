"""A declaration that promises what it cannot keep is no declaration."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agents.tools.errors import BadDeclaration
from agents.tools.http.loading import load, load_file, schema
from reconciliation.tools import Capabilities, Keyed
from tests.contract.http_worlds import DECLARATIONS

Json = dict[str, Any]


def document(name: str = "kinto_refund") -> Json:
    read: Json = json.loads((DECLARATIONS / f"{name}.json").read_text(encoding="utf-8"))
    return read


def test_the_published_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("kinto_refund", Capabilities(void=True, look_up=True)),
        ("kinto_note", Capabilities(look_up=True)),
        ("restate_refund", Capabilities(keyed=Keyed(86400, locks_in_flight=True))),
    ],
)
def test_what_it_can_follows_from_what_it_declares(name: str, can: Capabilities) -> None:
    assert load_file(DECLARATIONS / f"{name}.json").capabilities == can


def test_without_look_up_and_key_it_can_do_nothing() -> None:
    given = document("restate_refund")
    del given["idempotency_key"]
    assert load(given).capabilities == Capabilities()


def test_another_declaration_is_another_version() -> None:
    given = document()
    other = copy.deepcopy(given)
    other["effect"]["path"] += "/"
    assert load(given).version != load(other).version


def _set(*path: str, to: Any) -> Callable[[Json], None]:
    def change(given: Json) -> None:
        *steps, last = path
        for step in steps:
            given = given[step]
        given[last] = to

    return change


def _drop(*path: str) -> Callable[[Json], None]:
    def change(given: Json) -> None:
        *steps, last = path
        for step in steps:
            given = given[step]
        del given[last]

    return change


SECRET = {"type": "string", "x-sensitivity": "secret"}
DONE = {"status": [201], "means": "done"}
WRONG = {
    "a failed precondition called a no": _set(
        "effect", "answers", to=[DONE, {"status": [412], "means": "refused"}]
    ),
    "a conflict called a no": _set(
        "effect", "answers", to=[DONE, {"status": [409], "means": "refused"}]
    ),
    "a server error called a no": _set(
        "effect", "answers", to=[DONE, {"status": [500], "means": "refused"}]
    ),
    "a redirect called done": _set("effect", "answers", to=[{"status": [302], "means": "done"}]),
    "a void without a place": _drop("create_only"),
    "a void that nobody can look up": _drop("look_up"),
    "a tombstone that looks like an effect": _drop("look_up", "void"),
    "a place that all actions share": _set(
        "effect", "path", to="/collections/refunds/records/{order}"
    ),
    "a place made by POST": _set("effect", "method", to="POST"),
    "a parameter that is never sent": _set(
        "parameters", "properties", "more", to={"type": "string"}
    ),
    "a name that nobody gives": _set("effect", "path", to="/records/{$action_id}/{who}"),
    "a secret in the address": _set("parameters", "properties", "order", to=SECRET),
    "a look-up that asks for everything": _set("look_up", "path", to="/records"),
    "a look-up with a field of its own": _set("look_up", "fields", to={"more": "/more"}),
    "a credential as a plain header": _set("effect", "headers", to={"Authorization": "Bearer x"}),
    "attempts that differ under one key": _set(
        "idempotency_key", to={"remembers_seconds": 60, "locks_in_flight": True}
    ),
    "parameters that allow any other": _drop("parameters", "additionalProperties"),
    "two places without a sign between": _set("effect", "path", to="/r/{$action_id}{order}"),
    "a sentence without its end": _set("says", "describe", to="Refund {order}"),
    "an attempt in what people read": _set("says", "describe", to="Refund {$attempt_id}."),
    "a member nobody knows": _set("retries", to=3),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_it_is_refused_with_the_reason(change: Callable[[Json], None]) -> None:
    given = document()
    load(given)
    change(given)
    with pytest.raises(BadDeclaration):
        load(given)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"name": 1, "name": 2}', encoding="utf-8")
    with pytest.raises(BadDeclaration, match=r"x\.json"):
        load_file(tmp_path / "x.json")
