"""A value is held against its schema, whichever schema was checked before."""

import traceback

import jsonschema
import pytest

from checkpoints import schemas


def test_a_value_that_does_not_fit_is_named_by_its_path() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    schemas.check({"a": 1}, schema)
    with pytest.raises(jsonschema.ValidationError) as caught:
        schemas.check({"a": "x"}, schema)
    assert list(caught.value.absolute_path) == ["a"]


def test_each_schema_has_its_own_validator() -> None:
    numbers, texts = {"type": "integer"}, {"type": "string"}
    for _ in range(2):
        schemas.check(1, numbers)
        schemas.check("x", texts)
        with pytest.raises(jsonschema.ValidationError):
            schemas.check("x", numbers)


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(jsonschema.SchemaError):
        schemas.check(1, {"type": "no such type"})


MARKED = {
    "type": "object",
    "properties": {
        "pin": {"type": "integer", "x-sensitivity": "secret"},
        "note": {"type": "string", "pattern": "^[a-z ]+$"},
        "who": {"properties": {"mail": {"x-sensitivity": "personal", "x-subject": "1/id"}}},
    },
    "oneOf": [{"required": ["pin"]}, {"required": ["card"]}],
}


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"pin": "1234"}, ["pin"]),
        ({"pin": {"deep": "1234"}}, ["pin"]),
        ({"pin": 12345678, "note": "AT 12345678"}, ["note"]),
        ({"who": {"mail": "ann@example.org"}, "nothing": 1}, []),
    ],
)
def test_a_refusal_quotes_nothing_that_is_marked(
    value: dict[str, object], where: list[str]
) -> None:
    with pytest.raises(jsonschema.ValidationError) as caught:
        schemas.check(value, MARKED)
    said = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert not any(secret in said for secret in ("1234", "ann@example.org"))
    assert list(caught.value.absolute_path) == where


def test_a_refusal_still_says_which_name_is_wrong() -> None:
    schema = {**MARKED, "oneOf": [{}], "required": ["note"]}
    with pytest.raises(jsonschema.ValidationError, match="'note' is a required property"):
        schemas.check({"pin": 1}, schema)
