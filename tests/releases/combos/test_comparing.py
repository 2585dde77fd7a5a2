"""Two combos are compared text by text; a diff is empty exactly when the texts are equal."""

from typing import Any

import pytest

from releases.combos import comparing
from releases.combos.comparing import compare

OWN: dict[str, Any] = {
    "model": "a at host",
    "prompts": {"think": "One.\nTwo.\nThree.\n", "act": "Act."},
    "rules": {"rules": [{"tool": "x", "then": "ask"}]},
    "state_schemas": {"1": {"type": "object"}},
    "tools": {"x": {"version": "1", "parameters_schema": {"type": "object"}}},
    "versions": {"data": "1", "ruff": "9"},
    "code": "c" * 64,
}


def test_equal_combos_differ_in_nothing() -> None:
    compared = compare(OWN, dict(OWN))
    assert (compared.files, compared.differing) == ([], [])
    assert compared.same == sorted(comparing.texts(OWN))
    assert comparing.unified(OWN, OWN) == ""


def test_a_prompt_is_compared_line_by_line() -> None:
    new = OWN | {"prompts": {**OWN["prompts"], "think": "One.\nTwo!\nThree.\n"}}
    (file,) = compare(OWN, new).files
    assert file.diff.name == "prompts/think.md"
    assert (file.diff.added, file.diff.removed) == (1, 1)
    pair = next(pair for pair in file.hunks[0].beside if pair.new and pair.new.kind == "added")
    assert (pair.old and pair.old.text, pair.new and pair.new.text) == ("Two.", "Two!")


def test_rules_and_schemas_are_compared_as_somebody_would_write_them() -> None:
    new = OWN | {
        "rules": {"rules": [{"tool": "x", "then": "deny"}]},
        "tools": {"x": {**OWN["tools"]["x"], "version": "2"}},
    }
    compared = compare(OWN, new)
    assert [file.diff.name for file in compared.files] == ["rules.json", "tools/x.json"]
    changed = [row.text.strip() for row in compared.files[0].hunks[0].rows if row.kind == "added"]
    assert changed == ['"then": "deny",']
    assert [version.name for version in compared.differing] == ["x"]


def test_a_prompt_that_comes_or_goes_is_a_file_that_does() -> None:
    new = OWN | {"prompts": {"think": OWN["prompts"]["think"], "look": "Look.\n"}}
    statuses = {file.diff.name: file.diff.status for file in compare(OWN, new).files}
    assert statuses == {"prompts/act.md": "deleted", "prompts/look.md": "added"}


@pytest.mark.parametrize(
    "text",
    ["One.\nTwo.\nThree.", "One.\nTwo.\nThree.\n\n", "One.\r\nTwo.\nThree.\n",
     "One.\u2028Two.\nThree.\n", "", "--- a\n+++ b\n@@ -1 +1 @@\n"],
)  # fmt: skip
def test_whatever_differs_shows(text: str) -> None:
    new = OWN | {"prompts": {**OWN["prompts"], "think": text}}
    assert [file.diff.name for file in compare(OWN, new).files] == ["prompts/think.md"]


def test_every_version_stands_in_the_table_also_one_that_only_one_has() -> None:
    new = OWN | {"versions": {"data": "2", "node": "20"}, "model": "b at host"}
    rows = {each.name: (each.left, each.right) for each in comparing.versions(OWN, new)}
    assert rows["data"] == ("1", "2")
    assert rows["ruff"] == ("9", "")
    assert rows["node"] == ("", "20")
    assert rows["code"] == ("cccccccccccc", "cccccccccccc")
