"""What a schema marks is found wherever it stands, and a mark that cannot be obeyed is refused."""

from typing import Any

import pytest

from canonical.sensitivity import Mark, SensitivityError, declares, mapped, marks

SECRET = {"type": "string", "x-sensitivity": "secret"}
PERSONAL = {"type": "string", "x-sensitivity": "personal", "x-subject": "/who"}


def paths(value: Any, schema: dict[str, Any]) -> set[str]:
    return {mark.pointer for mark in marks(value, schema)}


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ({"properties": {"a": SECRET}}, {"a": 1, "b": 2}, {"/a"}),
        ({"additionalProperties": SECRET, "properties": {"b": {}}}, {"a": 1, "b": 2}, {"/a"}),
        ({"patternProperties": {"^k": SECRET}}, {"key": 1, "b": 2}, {"/key"}),
        ({"items": {"properties": {"a": SECRET}}}, [{"a": 1}, {"a": 2}], {"/0/a", "/1/a"}),
        ({"prefixItems": [SECRET], "items": {}}, ["x", "y"], {"/0"}),
        ({"allOf": [{"properties": {"a": SECRET}}]}, {"a": 1}, {"/a"}),
        ({"anyOf": [{"type": "array"}, {"properties": {"a": SECRET}}]}, {"a": 1}, {"/a"}),
        ({"if": {}, "else": {"properties": {"a": SECRET}}}, {"a": 1}, {"/a"}),
        ({"$defs": {"s": SECRET}, "properties": {"a": {"$ref": "#/$defs/s"}}}, {"a": 1}, {"/a"}),
        ({"dependentSchemas": {"a": {"properties": {"b": SECRET}}}}, {"b": 1}, {"/b"}),
        ({**SECRET, "properties": {"a": SECRET}}, {"a": 1}, {""}),
        ({"properties": {"a/b~": SECRET}}, {"a/b~": 1}, {"/a~1b~0"}),
    ],
)
def test_a_mark_is_found_wherever_it_applies(
    schema: dict[str, Any], value: Any, found: set[str]
) -> None:
    assert paths(value, schema) == found


def test_a_value_of_the_wrong_type_is_still_marked() -> None:
    assert paths({"a": {"deep": ["x"]}}, {"properties": {"a": SECRET}}) == {"/a"}


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"properties": {"secret": SECRET, "child": {"$ref": "#"}}, "allOf": [{"$ref": "#"}]}
    assert paths({"child": {"child": {"secret": 1}}}, tree) == {"/child/child/secret"}


def test_a_person_is_named_from_the_root_or_from_beside() -> None:
    beside = {**PERSONAL, "x-subject": "1/id"}
    schema = {"properties": {"a": PERSONAL, "them": {"items": {"properties": {"mail": beside}}}}}
    value = {"a": "x", "who": "ann", "them": [{"mail": "y", "id": 7}, {"mail": "z", "id": "bo"}]}
    assert marks(value, schema) == [
        Mark(("a",), "personal", "ann"),
        Mark(("them", 0, "mail"), "personal", "7"),
        Mark(("them", 1, "mail"), "personal", "bo"),
    ]


def test_personal_data_about_nobody_is_refused() -> None:
    schema = {"properties": {"a": PERSONAL}}
    with pytest.raises(SensitivityError, match="names nobody"):
        marks({"a": "x"}, schema)
    assert [mark.pointer for mark in marks({"a": "x"}, schema, named=False)] == ["/a"]


def test_personal_wins_over_secret_because_it_can_be_erased() -> None:
    both = {"allOf": [{"properties": {"a": SECRET}}, {"properties": {"a": PERSONAL}}]}
    assert marks({"a": "x", "who": "ann"}, both) == [Mark(("a",), "personal", "ann")]


@pytest.mark.parametrize("kind", ["secrt", "Secret", 1])
def test_a_misspelt_mark_is_refused_and_not_ignored(kind: Any) -> None:
    with pytest.raises(SensitivityError):
        declares({"properties": {"a": {"x-sensitivity": kind}}})


def test_a_reference_that_cannot_be_followed_is_refused() -> None:
    schema = {"properties": {"a": {"$ref": "other.json"}, "b": SECRET}}
    with pytest.raises(SensitivityError):
        marks({"a": 1}, schema)


def test_a_property_may_have_the_name_of_the_mark() -> None:
    assert not declares({"properties": {"x-sensitivity": {"type": "string"}}})


def test_mapping_changes_the_marked_parts_of_a_copy() -> None:
    value = {"a": [1, {"b": 2}], "c": 3}
    where = [Mark(("a", 1, "b"), "secret"), Mark(("c",), "secret")]
    assert mapped(value, where, lambda part, mark: [mark.pointer, part][0]) == {
        "a": [1, {"b": "/a/1/b"}],
        "c": "/c",
    }
    assert value == {"a": [1, {"b": 2}], "c": 3}
