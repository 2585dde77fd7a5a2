"""From a stored request to what its page shows of the change: files, text or JSON."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from approvals.models import ApprovalRequest
from approvals.showing import coverage, filepages, fileviews, lastapproved, material
from approvals.showing import values as showing
from approvals.showing.coverage import DIFF, JSON
from approvals.showing.values import Content
from approvals.showing.viewing import Look
from canonical.display import oddities
from canonical.outlines import Outline

__all__ = ["DIFF", "JSON", "Diff", "moved_files", "parameters", "same_files", "shown"]

SMALL: Final = 6_000  # bytes of parameters that are open without being asked for
ODD_FILES: Final = 8


@dataclass(frozen=True)
class Diff:
    """A diff as it was shown: its bytes, and what they are."""

    content: bytes
    media: str

    @classmethod
    def of(cls, asked: ApprovalRequest) -> "Diff":
        return cls(material.diff(asked).content, asked.diff_media)

    def outline(self) -> Outline | None:
        """Its files; None when it is not a diff of files."""
        return filepages.outline(Content.of(self.content)) if self.media == DIFF else None


def shown(asked: ApprovalRequest, look: Look) -> dict[str, Any]:
    """What the template needs: `kind` is "files", "json" or "text", and what that kind shows.

    `parts` are what somebody who gets this page is shown of the change.
    """
    content = material.diff(asked)
    common = {"size": len(content.content), "summary": asked.summary, "odd": _odd(asked)}
    about = coverage.outline_of(asked)
    if about is not None:
        return common | fileviews.files(asked, content, about, look)
    return (
        common
        | of_content("values", content, asked, look)
        | {"unreadable": asked.diff_media == DIFF}
    )


def parameters(asked: ApprovalRequest, look: Look) -> dict[str, Any]:
    """The exact parameters by path, as they will be sent; as plain text when they are not JSON."""
    content = material.parameters(asked)
    found = of_content("parameters", content, asked, look)
    is_open = look.whole or len(content.content) <= SMALL
    return found | {"open": is_open, "size": len(content.content)}


def of_content(of: str, content: Content, asked: ApprovalRequest, look: Look) -> dict[str, Any]:
    """One page of values, or of a text where there are none; `of` names its parts."""
    is_json = of == "parameters" or asked.diff_media == JSON
    found = showing.json_part(content.content, by=asked.tool, page=look.part) if is_json else None
    if found is not None:
        found = lastapproved.compared(asked, found)
        part = coverage.values_page(of, content, found.page)
        return {"kind": "json", "json": found, "parts": [part]} | _pager(
            found.page, found.pages, look
        )
    text = showing.text_part(content.content, look.part)
    window = coverage.text_window("text" if of == "values" else of, content, text.part)
    return {"kind": "text", "text": text, "parts": [window]} | _pager(text.part, text.parts, look)


def moved_files(saw: Diff, now: Diff) -> list[str] | None:
    """The files about which two diffs differ; None when one of them is not a diff of files."""
    one, other = saw.outline(), now.outline()
    if one is None or other is None:
        return None
    return filepages.differing_files(one, Content.of(saw.content), other, Content.of(now.content))


def same_files(saw: Diff, now: Diff) -> list[str]:
    """The files of which both diffs say the same, byte for byte: read once, they are read."""
    moved, about = moved_files(saw, now), now.outline()
    if moved is None or about is None:
        return []
    return [entry.file.name for entry in about.entries if entry.file.name not in set(moved)]


def _pager(page: int, pages: int, look: Look) -> dict[str, str]:
    return {
        "earlier": look.address(part=page - 1) if page > 1 else "",
        "later": look.address(part=page + 1) if page < pages else "",
    }


def _odd(asked: ApprovalRequest) -> dict[str, Any] | None:
    """How many characters cannot be seen or pass for others, in all that is shown; None for none."""
    words = "\n".join([asked.describe, asked.target, *map(str, asked.summary)])
    found = [oddities(words), _odd_of(material.parameters(asked))]
    about = coverage.outline_of(asked)
    files = [entry for entry in about.entries if entry.hidden or entry.alike] if about else []
    found += [(entry.hidden, entry.alike) for entry in files]
    found += [] if about else [_odd_of(material.diff(asked))]
    hidden, alike = (sum(counts) for counts in zip(*found, strict=True))
    if not hidden and not alike:
        return None
    return {
        "hidden": hidden,
        "alike": alike,
        "files": [fileviews.link(asked, entry) for entry in files[:ODD_FILES]],
        "more_files": max(0, len(files) - ODD_FILES),
    }


@lru_cache(maxsize=8)
def _odd_of(content: Content) -> tuple[int, int]:
    text = showing.decoded(content.content)
    if showing.ends_with_crlf(text):
        text = text.replace("\r\n", "\n")
    return oddities(text)
