"""The dry run: what a push would change on the branch as it is now, and nothing else."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.tools.git.errors import BadProposal
from agents.tools.git.pushing import take_in
from agents.tools.git.scratch import Scratch
from canonical.diffs import classes, parse_unified
from canonical.errors import DiffError
from canonical.json import Json
from reconciliation.tools import Call, DryRun, Unanswered

NO_FILES = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree of no files; git always has it

_SUBJECT_SHOWN = 200
_HEAD = "refs/head"
# Renames are guessed, so they are shown as what they are: one file gone, one file new.
_EXACT = ("--no-renames", "-r")
_DIFF = ("--no-color", "--no-ext-diff", "--no-textconv", "--full-index", "--diff-algorithm=myers")


@dataclass(frozen=True)
class FileChange:
    """What happens to one file: status "A", "M", "D" or "T", and lines (0 when it is binary)."""

    status: str
    path: str
    added: int
    removed: int


def dry_run(call: Call, url: str, repository: Scratch) -> DryRun:
    """Raises `Unanswered`, `GitFailed`, `BadProposal`."""
    push = take_in(call, url, repository)
    head = _head(repository, url, push.branch_ref)
    _fetch_base(repository, url, head, push.expected)
    before = head or NO_FILES
    diff = repository.git("diff-tree", "-p", *_EXACT, *_DIFF, before, push.commit)
    changes = file_changes(repository, before, push.commit)
    if head == push.expected and size_of(changes) != push.change:
        raise BadProposal("the proposed push names another size than it has")
    return DryRun(
        diff=diff,
        media="text/x-diff",
        resources={f"{push.branch_ref} on {push.remote}": head},
        summary=(_subject(repository, push.commit), *_by_class(diff, changes)),
    )


def file_changes(repository: Scratch, before: str, after: str) -> list[FileChange]:
    """The files that differ between two commits or trees, by path."""
    shown = repository.git("diff-tree", *_EXACT, "--raw", "--numstat", "-z", before, after)
    fields = shown.decode("utf-8", "surrogateescape").split("\0")[:-1]
    statuses: dict[str, str] = {}
    while fields and fields[0].startswith(":"):
        status, path = fields.pop(0)[-1], fields.pop(0)
        statuses[path] = status
    changes = []
    for added, removed, path in (field.split("\t", 2) for field in fields):
        counts = [0 if count == "-" else int(count) for count in (added, removed)]
        changes.append(FileChange(statuses[path], path, *counts))
    return changes


def size_of(changes: list[FileChange]) -> dict[str, Json]:
    """How much a commit changes: files, lines added or removed, and files deleted."""
    return {
        "files": len(changes),
        "lines": sum(change.added + change.removed for change in changes),
        "deletions": sum(change.status == "D" for change in changes),
    }


def _head(repository: Scratch, url: str, branch_ref: str) -> str:
    repository.fetch(url, f"+{branch_ref}:{_HEAD}", options=("--depth=1",))
    return repository.refs(_HEAD).get("", "")


def _fetch_base(repository: Scratch, url: str, head: str, expected: str) -> None:
    # The pack has only what is new. When the branch has moved, the files it leaves alone are those
    # of the commit it was built on.
    if expected not in {"", head} and not repository.fetch(url, expected, options=("--depth=1",)):
        raise Unanswered("the commit this change was built on is no longer on the remote")


def _subject(repository: Scratch, commit: str) -> str:
    shown = repository.git("log", "-1", "--format=%an <%ae>%x00%s", commit)
    author, subject = shown.decode("utf-8", "replace").rstrip("\n").split("\0")
    return _("Commit %(sha)s by %(author)s: %(subject)s") % {
        "sha": commit[:12],
        "author": author,
        "subject": subject if len(subject) <= _SUBJECT_SHOWN else f"{subject[:_SUBJECT_SHOWN]}…",
    }


def _by_class(diff: bytes, changes: list[FileChange]) -> list[str]:
    try:
        parts = classes(parse_unified(diff.decode("utf-8", "replace")))
    except DiffError:  # some names defeat it; what cannot be sorted is still counted
        added, removed = sum(it.added for it in changes), sum(it.removed for it in changes)
        return [_class_line(_("all"), len(changes), added, removed)]
    return [
        _class_line(part.file_class.replace("_", " "), len(part.files), part.added, part.removed)
        for part in parts
    ]


def _class_line(kind: str, files: int, added: int, removed: int) -> str:
    facts = {"kind": kind, "files": files, "added": added, "removed": removed}
    return _("%(kind)s: files %(files)d, lines +%(added)d -%(removed)d") % facts
