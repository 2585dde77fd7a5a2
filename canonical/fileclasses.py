"""Which kind of file a change touches, so that a person sees the unusual ones first."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from canonical.unified import FileDiff


class FileClass(enum.StrEnum):
    """What a changed file is, in the order a person should look: each file is in one class."""

    CI = "ci"
    LINK = "link"
    MODE_CHANGE = "mode_change"
    DELETED = "deleted"
    BINARY = "binary"
    SOURCE = "source"
    LOCK = "lock"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """The files of one class and the lines they add and remove together."""

    file_class: FileClass
    files: tuple[FileDiff, ...]
    added: int
    removed: int


REGULAR = "100644"
# A symbolic link, and a pointer to a commit of another repository.
LINKS = ("120000", "160000")

# What a machine runs without being asked.
_CI = (
    ".ci/*",
    ".github/workflows/*",
    ".github/actions/*",
    ".circleci/*",
    ".buildkite/*",
    ".woodpecker/*",
    ".woodpecker.y*ml",
    ".husky/*",
    ".githooks/*",
    ".gitlab-ci.y*ml",
    ".gitlab/ci/*",
    ".travis.y*ml",
    ".drone.y*ml",
    ".cirrus.y*ml",
    ".appveyor.y*ml",
    "appveyor.y*ml",
    "azure-pipelines*.y*ml",
    "bitbucket-pipelines.y*ml",
    ".pre-commit-config.y*ml",
    "jenkinsfile*",
)
_LOCK = (
    "*.lock",
    "*.lockb",
    "*.lockfile",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "packages.lock.json",
    "pnpm-lock.y*ml",
    "go.sum",
)
_GENERATED = (
    "dist/*",
    "node_modules/*",
    "*.min.js",
    "*.min.css",
    "*.map",
    "*.snap",
    "*_pb2.py",
    "*_pb2_grpc.py",
    "*_pb2.pyi",
    "*.pb.go",
    "*.generated.*",
)


def classes(files: Iterable[FileDiff]) -> list[ClassSummary]:
    """Return the classes that occur, most unusual first, each with its files in given order."""
    found: dict[FileClass, list[FileDiff]] = {file_class: [] for file_class in FileClass}
    for file in files:
        found[class_of(file)].append(file)
    return [_summary(file_class, members) for file_class, members in found.items() if members]


def class_of(file: FileDiff) -> FileClass:
    """Return the one class of a file: by name only, so that no content can choose its class.

    A file that leaves or enters the CI folder is CI. Whatever is, was or becomes a symbolic link or
    a submodule is a link. A new file that is executable counts as a mode change.
    """
    names = [name for name in (file.old_name, file.new_name) if name]
    if any(_is(name, _CI) for name in names):
        return FileClass.CI
    if file.old_mode in LINKS or file.new_mode in LINKS:
        return FileClass.LINK
    if file.mode_changed or (file.status == "added" and file.new_mode not in (None, REGULAR)):
        return FileClass.MODE_CHANGE
    if file.status == "deleted":
        return FileClass.DELETED
    if file.binary:
        return FileClass.BINARY
    if all(_is(name, _LOCK) for name in names):
        return FileClass.LOCK
    return FileClass.GENERATED if all(_is(name, _GENERATED) for name in names) else FileClass.SOURCE


def _is(name: str, patterns: tuple[str, ...]) -> bool:
    # A folder or a file at any depth: projects lie inside projects.
    path = "/" + name.lower()
    return any(fnmatchcase(path, f"*/{pattern}") for pattern in patterns)


def _summary(file_class: FileClass, files: list[FileDiff]) -> ClassSummary:
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    return ClassSummary(file_class, tuple(files), added, removed)
