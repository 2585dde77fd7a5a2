"""Files of a change, sorted into classes a person can look through."""

import pytest

from canonical.diffs import FileClass, classes, parse_unified
from canonical.fileclasses import class_of


def change(name: str) -> str:
    return f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"


def class_of_name(name: str) -> FileClass:
    return class_of(parse_unified(change(name))[0])


@pytest.mark.parametrize(
    ("name", "file_class"),
    [
        ("src/app.py", FileClass.SOURCE),
        ("README", FileClass.SOURCE),
        ("block/distance.py", FileClass.SOURCE),
        ("build/steps.py", FileClass.SOURCE),
        ("uv.lock", FileClass.LOCK),
        ("web/package-lock.json", FileClass.LOCK),
        ("requirements-dev.lock", FileClass.LOCK),
        ("go.sum", FileClass.LOCK),
        ("web/dist/app.js", FileClass.GENERATED),
        ("api/user_pb2.py", FileClass.GENERATED),
        ("app.min.js", FileClass.GENERATED),
        (".github/workflows/test.yml", FileClass.CI),
        (".GitHub/Workflows/test.YAML", FileClass.CI),
        (".gitlab-ci.yml", FileClass.CI),
        (".ci/run", FileClass.CI),
        ("sub/Jenkinsfile.release", FileClass.CI),
        (".pre-commit-config.yaml", FileClass.CI),
        (".github/workflows/uv.lock", FileClass.CI),
    ],
)
def test_a_name_has_one_class(name: str, file_class: FileClass) -> None:
    assert class_of_name(name) == file_class


@pytest.mark.parametrize(
    ("diff", "file_class"),
    [
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", FileClass.MODE_CHANGE),
        ("diff --git a/x b/x\nnew file mode 100755\n", FileClass.MODE_CHANGE),
        ("diff --git a/x b/x\nnew file mode 120000\n", FileClass.LINK),
        ("diff --git a/x b/x\ndeleted file mode 120000\n", FileClass.LINK),
        ("diff --git a/x b/x\nold mode 120000\nnew mode 100644\n", FileClass.LINK),
        ("diff --git a/x b/x\nindex 3f1c2aa..9b0d1e2 160000\n", FileClass.LINK),
        ("diff --git a/x b/x\nnew file mode 100644\n", FileClass.SOURCE),
        ("diff --git a/x b/x\ndeleted file mode 100755\n", FileClass.DELETED),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", FileClass.BINARY),
        ("diff --git a/.ci/x b/.ci/x\ndeleted file mode 100644\n", FileClass.CI),
        ("diff --git a/.ci/x b/x\nrename from .ci/x\nrename to x\n", FileClass.CI),
        ("diff --git a/x b/.ci/x\nrename from x\nrename to .ci/x\n", FileClass.CI),
        ("diff --git a/x b/x.lock\nrename from x\nrename to x.lock\n", FileClass.SOURCE),
    ],
)
def test_what_happens_to_a_file_comes_before_its_name(diff: str, file_class: FileClass) -> None:
    assert class_of(parse_unified(diff)[0]) == file_class


def test_classes_come_unusual_first_with_their_counts() -> None:
    names = ["uv.lock", "b.py", ".ci/run", "a.py"]
    summary = classes(parse_unified("".join(map(change, names))))
    assert [(s.file_class, [f.name for f in s.files], s.added, s.removed) for s in summary] == [
        (FileClass.CI, [".ci/run"], 2, 1),
        (FileClass.SOURCE, ["b.py", "a.py"], 4, 2),
        (FileClass.LOCK, ["uv.lock"], 2, 1),
    ]


def test_no_files_have_no_classes() -> None:
    assert classes([]) == []
