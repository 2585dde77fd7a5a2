"""A declaration of statements that promises what it cannot keep is no declaration."""

import copy
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from agents.tools.declaring import schema_at
from agents.tools.errors import BadDeclaration
from agents.tools.sql.declared import SCHEMA, load
from tests.contract.http_worlds import DECLARATIONS

Json = dict[str, Any]


def document() -> Json:
    read: Json = json.loads((DECLARATIONS / "book_refund.json").read_text(encoding="utf-8"))
    return read


def test_the_published_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema_at(SCHEMA))


def test_a_value_has_a_typed_place_and_a_percent_stays_one() -> None:
    given = document()
    given["statements"][1]["sql"] = "UPDATE purchase SET refunded = {amount} WHERE id LIKE 'a%b'"
    given["statements"][1].pop("returns")
    given["statements"][1]["sql"] += " OR id = {purchase}"
    assert load(given).statements[1].sql == (
        "UPDATE purchase SET refunded = %(amount)s::bigint WHERE id LIKE 'a%%b'"
        " OR id = %(purchase)s::text"
    )


def _first(sql: str) -> Callable[[Json], None]:
    def change(given: Json) -> None:
        given["statements"][0]["sql"] = sql

    return change


def _type(name: str, kind: str) -> Callable[[Json], None]:
    return lambda given: given["types"].update({name: kind})


def _sensitive(given: Json) -> None:
    given["parameters"]["properties"]["purchase"]["x-sensitivity"] = "personal"


def _unused(given: Json) -> None:
    given["parameters"]["properties"]["more"] = {"type": "string"}
    given["types"]["more"] = "text"


WRONG: dict[str, Callable[[Json], None]] = {
    "two statements in one": _first("INSERT INTO entry VALUES ({amount}); COMMIT"),
    "a statement that ends the transaction": _first("COMMIT"),
    "a change of the tables": _first("DROP TABLE entry"),
    "a name that nobody gives": _first("INSERT INTO entry VALUES ({amount}, {who})"),
    "a query that changes": lambda given: given["shows"].update({"X": "DELETE FROM entry"}),
    "a parameter that is never sent": _unused,
    "a type that does not fit": _type("amount", "text"),
    "a type of nothing": _type("who", "text"),
    "a type that is none": _type("amount", "money"),
    "a sensitive target": _sensitive,
    "many rows returned": lambda given: given["statements"][1].update({"rows": 2}),
    "one column twice": lambda given: given["statements"][0].update(
        {"rows": 1, "returns": {"refunded": {}}}
    ),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_it_is_refused(change: Callable[[Json], None]) -> None:
    given = document()
    load(copy.deepcopy(given))
    change(given)
    with pytest.raises(BadDeclaration):
        load(given)
