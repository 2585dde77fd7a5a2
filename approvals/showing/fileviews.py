"""The files of a change as templates show them: a tree, a page of files, the lines of one."""

from collections.abc import Sequence
from typing import Any, Final

from django.urls import reverse

from approvals.models import ApprovalRequest
from approvals.showing import coverage, filepages
from approvals.showing.filepages import FILES_A_PAGE, FilePart
from approvals.showing.values import Content
from approvals.showing.viewing import SIDE, Look
from canonical import trees
from canonical.outlines import Entry, Outline

FOLDERS_A_PAGE: Final = 40
DEEPEST: Final = 5  # what is deeper is not moved in further


def files(asked: ApprovalRequest, content: Content, about: Outline, look: Look) -> dict[str, Any]:
    """One page of the files that a look asks for, and the tree of all of them."""
    chosen = _chosen(about, look)
    page, pages, first, parts = _page(content, chosen, look)
    shown = {part.entry.number for part in parts}
    return {
        "kind": "files",
        "summaries": [
            (each, look.address(kind=each.file_class, folder="", files=1))
            for each in about.summaries
        ],
        "files": [as_component(asked, part, look) for part in parts],
        "tree": _tree(asked, about, look, shown),
        "count": len(about.entries),
        "chosen": len(chosen),
        "first": first + 1 if parts else 0,
        "last": first + len(parts),
        "closed": sum(not part.is_open for part in parts),
        "kind_chosen": look.kind,
        "folder_chosen": look.folder,
        "all_url": look.address(kind="", folder="", files=1),
        "side": look.view == SIDE,
        "unified_url": look.address(view=""),
        "side_url": look.address(view=SIDE),
        "earlier": look.address(files=page - 1) if page > 1 else "",
        "later": look.address(files=page + 1) if page < pages else "",
        "whole": look.whole,
        "whole_url": look.address(whole=not look.whole, files=1),
        "whole_pages": len(filepages.whole_pages(chosen, look.view)),
        "parts": [
            coverage.file_window(part.entry, window) for part in parts for window in part.windows
        ],
    }


def _page(
    content: Content, chosen: list[Entry], look: Look
) -> tuple[int, int, int, list[FilePart]]:
    """The page of files that a look asks for: its number, of how many, files before it, the files."""
    if look.whole:
        cut = filepages.whole_pages(chosen, look.view)
        page = min(max(look.files, 1), len(cut))
        parts = [filepages.whole_file(content, entry, look.view) for entry in cut[page - 1]]
        return page, len(cut), sum(map(len, cut[: page - 1])), parts
    pages = max(1, -(-len(chosen) // FILES_A_PAGE))
    page = min(max(look.files, 1), pages)
    parts = filepages.files_page(content, chosen, page, look.view)
    return page, pages, (page - 1) * FILES_A_PAGE, parts


def as_component(asked: ApprovalRequest, part: FilePart, look: Look) -> dict[str, Any]:
    """The context of `components/diff_file.html` and `components/diff_lines.html`."""
    entry = part.entry
    address = _address(asked, entry)
    return {
        "file": entry.file,
        "number": entry.number,
        "file_class": entry.file_class,
        "hidden": entry.hidden,
        "alike": entry.alike,
        "crlf": entry.crlf,
        "open": part.is_open,
        "hunks": part.hunks,
        "side": look.view == SIDE,
        "before": part.before,
        "left_out": part.left_out,
        "piece": part.piece,
        "window": part.window,
        "windows": len(entry.windows),
        "earlier_url": _window(address, part.window - 1, look) if part.window > 1 else "",
        "rest_url": _window(address, part.through + 1, look)
        if 0 < part.through < len(entry.windows)
        else "",
        "body_url": "" if part.is_open else _window(address, 1, look),
    }


def link(asked: ApprovalRequest, entry: Entry) -> tuple[str, str]:
    """The name and the page of one file."""
    return entry.file.name, _address(asked, entry)


def _chosen(about: Outline, look: Look) -> list[Entry]:
    chosen = trees.within(about.unusual_first(), look.folder)
    return [entry for entry in chosen if look.kind in ("", entry.file_class)]


def _tree(asked: ApprovalRequest, about: Outline, look: Look, shown: set[int]) -> dict[str, Any]:
    """Small changes with every file, large ones folder by folder."""
    if len(about.entries) <= FILES_A_PAGE:
        lines = trees.whole(list(about.entries))
        return {"lines": [_line(asked, line, look, shown) for line in lines], "crumbs": []}
    found = trees.folders(about.entries, look.folder)
    pages = max(1, -(-len(found) // FOLDERS_A_PAGE))
    page = min(max(look.folders, 1), pages)
    first = (page - 1) * FOLDERS_A_PAGE
    rows = found[first : first + FOLDERS_A_PAGE]
    return {
        "lines": [_folder(folder, look) for folder in rows],
        "crumbs": _crumbs(look),
        "here": sum(
            "/" not in entry.file.name[len(look.folder) :] for entry in _below(about, look)
        ),
        "first": first + 1 if rows else 0,
        "last": first + len(rows),
        "count": len(found),
        "earlier": look.address(folders=page - 1) if page > 1 else "",
        "later": look.address(folders=page + 1) if page < pages else "",
    }


def _below(about: Outline, look: Look) -> Sequence[Entry]:
    return trees.within(about.entries, look.folder)


def _line(asked: ApprovalRequest, line: trees.Line, look: Look, shown: set[int]) -> dict[str, Any]:
    if line.folder is not None:
        return _folder(line.folder, look, min(line.depth, DEEPEST))
    entry = line.entry
    assert entry is not None  # noqa: S101 - a line is one or the other
    url = (
        f"#file-{entry.number}"
        if entry.number in shown
        else _window(_address(asked, entry), 1, look)
    )
    return {
        "depth": min(line.depth, DEEPEST),
        "name": line.name,
        "url": url,
        "is_file": True,
        "added": entry.file.added,
        "removed": entry.file.removed,
        "status": entry.file.status,
        "file_class": entry.file_class,
        "odd": int(bool(entry.hidden or entry.alike)),
    }


def _folder(folder: trees.Folder, look: Look, depth: int = 0) -> dict[str, Any]:
    return {
        "depth": depth,
        "name": folder.name,
        "url": look.address(folder=folder.path, files=1, folders=1),
        "is_file": False,
        "files": folder.files,
        "added": folder.added,
        "removed": folder.removed,
        "odd": folder.odd,
    }


def _crumbs(look: Look) -> list[tuple[str, str]]:
    """The folders above and including the one shown, each with its address."""
    names = look.folder.split("/")[:-1]
    paths = ["".join(f"{name}/" for name in names[: n + 1]) for n in range(len(names))]
    return [
        (f"{name}/", look.address(folder=path, files=1, folders=1))
        for name, path in zip(names, paths, strict=True)
    ]


def _address(asked: ApprovalRequest, entry: Entry) -> str:
    return reverse("approvals:file_lines", args=[asked.tenant.slug, asked.pk, entry.number])


def _window(address: str, window: int, look: Look) -> str:
    query = [f"part={window}"] if window > 1 else []
    query += [f"view={look.view}"] if look.view else []
    return address + (f"?{'&'.join(query)}" if query else "")
