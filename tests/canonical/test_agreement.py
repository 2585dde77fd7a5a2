"""Something is shown if and only if something differs, for values and for files of a diff."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical import agreement
from canonical.json import Json, dumps
from canonical.unified import parse_unified
from tests.canonical.strategies import values

HEAD = "diff --git a/x b/x\nindex 3f1c2aa..9b0d1e2 100644\n"
NAMES = "--- a/x\n+++ b/x\n"


@given(st.tuples(values, values) | values.map(lambda value: (value, value)))
def test_values_never_contradict(pair: tuple[Json, Json]) -> None:
    assert agreement.of_values(*pair) is None


def test_a_walker_that_misses_a_change_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "json_changes", lambda *_both: [])
    assert agreement.of_values([2], [True]) == "silent"
    monkeypatch.setattr(agreement, "json_changes", lambda *_both: ["x"])
    assert agreement.of_values({"a": 1}, {"a": 1.0}) == "idle"
    assert dumps({"a": 1}) == dumps({"a": 1.0})


@pytest.mark.parametrize(
    ("diff", "found"),
    [
        (f"{HEAD}{NAMES}@@ -1 +1 @@\n-a\n+b\n", None),
        (f"{HEAD}{NAMES}@@ -1 +1 @@\n-a\n+a\n", "idle"),
        (f"{HEAD}{NAMES}@@ -1 +1 @@\n a\n", "idle"),
        (f"{HEAD}{NAMES}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", None),
        (f"{HEAD.replace('9b0d1e2', '3f1c2aa')}{NAMES}@@ -1 +1 @@\n-a\n+b\n", "idle"),
        (HEAD, "silent"),
        (f"{HEAD}Binary files a/x and b/x differ\n", None),
        ("diff --git a/x b/x\n", "idle"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", None),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 3f1c2aa..9b0d1e2\n", "silent"),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", None),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", None),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..9b0d1e2\n", "silent"),
        ("diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n", None),
        ("diff --git a/x b/x\ndeleted file mode 100644\nindex 9b0d1e2..0000000\n", "silent"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", None),
    ],
)  # fmt: skip
def test_a_file_is_shown_to_change_exactly_when_git_names_another_content(
    diff: str, found: str | None
) -> None:
    [file] = parse_unified(diff)
    assert agreement.of_file(file) == found
