"""A value is held against its schema, whichever schema was checked before."""

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
