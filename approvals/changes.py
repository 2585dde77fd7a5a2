"""From a stored request to what its page shows of the change: files, text or JSON."""

from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse

from approvals import showing
from approvals.models import ApprovalRequest
from approvals.showing import Content, FilePart, JsonPart, Outline, Text

DIFF: Final = "text/x-diff"
JSON: Final = "application/json"


@dataclass(frozen=True)
class Diff:
    """A diff as it was shown: its bytes, and what they are."""

    content: bytes
    media: str

    @classmethod
    def of(cls, asked: ApprovalRequest) -> "Diff":
        return cls(bytes(asked.diff), asked.diff_media)

    def outline(self) -> Outline | None:
        """Its files; None when it is not a diff of files."""
        return showing.outline(Content.of(self.content)) if self.media == DIFF else None


def shown(asked: ApprovalRequest, *, page: int = 1, part: int = 1) -> dict[str, Any]:
    """What the template needs: `kind` is "files", "json" or "text", and what that kind shows."""
    content = Content.of(bytes(asked.diff))
    common = {"size": len(content.content), "summary": asked.summary}
    if asked.diff_media == DIFF:
        about = showing.outline(content)
        if about is not None:
            return common | _files(asked, content, about, page)
        return common | _text(content, part) | {"unreadable": True}
    if asked.diff_media == JSON:
        found = showing.json_part(content.content, by=asked.tool)
        if found is not None:
            return common | {"kind": "json", "json": found}
    return common | _text(content, part)


def file_part(asked: ApprovalRequest, number: int, *, first: int = 0) -> FilePart | None:
    """The lines of one file of a diff; None when there is no such file."""
    content = Content.of(bytes(asked.diff))
    about = showing.outline(content) if asked.diff_media == DIFF else None
    if about is None or not 1 <= number <= len(about.chunks):
        return None
    return showing.file_part(content, about, number, first)


def as_component(asked: ApprovalRequest, part: FilePart) -> dict[str, Any]:
    """The context of `components/diff_file.html` and `components/diff_lines.html`."""
    address = reverse("approvals:file_lines", args=[asked.tenant.slug, asked.pk, part.number])
    return {
        "file": part.file,
        "file_class": part.file_class,
        "open": part.is_open,
        "hunks": part.hunks,
        "left_out": part.left_out,
        "rest_url": f"{address}?from={part.rest_from}",
        "body_url": "" if part.is_open else address,
    }


def parameters(asked: ApprovalRequest) -> JsonPart | Text:
    """The exact parameters by path, as they will be sent; as plain text when they are not JSON."""
    content = bytes(asked.parameters)
    return showing.json_part(content) or showing.text_part(content)


def moved_files(saw: Diff, now: Diff) -> list[str] | None:
    """The files about which two diffs differ; None when one of them is not a diff of files."""
    one, other = saw.outline(), now.outline()
    if one is None or other is None:
        return None
    return showing.differing_files(one, Content.of(saw.content), other, Content.of(now.content))


def same_files(saw: Diff, now: Diff) -> list[str]:
    """The files of which both diffs say the same, byte for byte: read once, they are read."""
    moved, about = moved_files(saw, now), now.outline()
    if moved is None or about is None:
        return []
    return [file.name for _number, file, _kind in about.files if file.name not in set(moved)]


def _files(asked: ApprovalRequest, content: Content, about: Outline, page: int) -> dict[str, Any]:
    count = len(about.files)
    pages = max(1, -(-count // showing.FILES_A_PAGE))
    page = min(max(page, 1), pages)
    parts = showing.files_page(content, about, page)
    first = (page - 1) * showing.FILES_A_PAGE
    return {
        "kind": "files",
        "summaries": about.summaries,
        "files": [as_component(asked, part) for part in parts],
        "count": count,
        "first": first + 1,
        "last": first + len(parts),
        "closed": sum(not part.is_open for part in parts),
        "earlier": f"?files={page - 1}#change" if page > 1 else "",
        "later": f"?files={page + 1}#change" if page < pages else "",
    }


def _text(content: Content, part: int) -> dict[str, Any]:
    text = showing.text_part(content.content, part)
    return {
        "kind": "text",
        "text": text,
        "earlier": f"?part={text.part - 1}#change" if text.part > 1 else "",
        "later": f"?part={text.part + 1}#change" if text.part < text.parts else "",
    }
