"""Every changed file is in one place of the tree, and folders count what lies below them."""

from hypothesis import given
from hypothesis import strategies as st

from canonical.outlines import Entry, outline
from canonical.trees import folders, whole, within

FILE = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1,2 @@\n-a\n+b\n+{1}\n"


def entries(*names: str) -> list[Entry]:
    diff = "".join(FILE.format(name, "\u200b" if "odd" in name else "c") for name in names)
    return list(outline(diff.encode()).entries)


def test_a_folder_counts_its_files_and_lines() -> None:
    found = folders(entries("a.py", "src/b.py", "src/deep/odd.py", "web/c.js"))
    assert [(each.name, each.files, each.added, each.removed, each.odd) for each in found] == [
        ("src/", 2, 4, 2, 1),
        ("web/", 1, 2, 1, 0),
    ]


def test_folders_that_hold_one_folder_are_one_line() -> None:
    made = entries("src/main/java/A.java", "src/main/java/B.java", "docs/x.md")
    assert [(each.path, each.name) for each in folders(made)] == [
        ("docs/", "docs/"),
        ("src/main/java/", "src/main/java/"),
    ]
    assert folders(made, "src/main/java/") == []


def test_a_folder_is_not_another_that_begins_alike() -> None:
    made = entries("src/a.py", "src-old/b.py", "src/sub/c.py", "src.py")
    assert [each.path for each in folders(made)] == ["src-old/", "src/"]
    assert [each.file.name for each in within(made, "src/")] == ["src/a.py", "src/sub/c.py"]


names = st.lists(
    st.lists(st.sampled_from(["a", "b", "a-b", "c.d"]), min_size=1, max_size=4).map("/".join),
    unique=True,
    max_size=12,
)


@given(names)
def test_every_file_is_in_the_tree_once_below_its_folders(made: list[str]) -> None:
    lines = list(whole(entries(*made)))
    path: list[str] = []
    seen: list[str] = []
    for line in lines:
        path = [*path[: line.depth], line.name]
        if line.entry:
            seen.append("".join(path))
    assert sorted(seen) == sorted(made)
    for line in lines:
        if line.folder:
            assert line.folder.files == sum(name.startswith(line.folder.path) for name in made)
