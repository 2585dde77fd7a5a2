"""What there is to open of a request, and how much of it a person has opened."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

from approvals.drift import rereading
from approvals.models import ApprovalRequest
from approvals.showing import filepages, material, shown
from approvals.showing import values as showing
from approvals.showing.shown import Part
from approvals.showing.values import Content
from canonical import digests
from canonical.outlines import Entry, Outline
from tenants.models import User

DIFF: Final = "text/x-diff"
JSON: Final = "application/json"
FILE: Final = "file/"


@dataclass(frozen=True)
class Coverage:
    """How much of what a request shows a person has opened.

    `files` of a diff, 0 when there are none; `parts` of everything: windows of files, parts of a
    text, pages of values and of parameters. `left` names what is left to open, each file once, by
    the first part of it that is not opened.
    """

    opened_files: int
    files: int
    opened_parts: int
    parts: int
    left: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not self.left

    @property
    def unopened(self) -> int:
        """How much is left to open; a file is one, however long it is."""
        return len(self.left)


def of(asked: ApprovalRequest, user: User) -> Coverage:
    """What this person opened.

    What they opened in an earlier question about the same action counts where the bytes are equal.
    """
    known = parts_of(asked.pk)
    return counted(known, shown.opened_by(asked, user) | rereading.carried(asked, user, known))


def counted(known: Iterable[Part], names: Collection[str]) -> Coverage:
    """The same, of all parts there are and the names of those that were opened."""
    everything = [part.name for part in known]
    left: dict[str, str] = {}
    for name in everything:
        if name not in names:
            left.setdefault(_thing(name), name)
    files = {_thing(name) for name in everything if name.startswith(FILE)}
    return Coverage(
        opened_files=len(files - left.keys()),
        files=len(files),
        opened_parts=sum(name in names for name in everything),
        parts=len(everything),
        left=tuple(left.values()),
    )


def parts(asked: ApprovalRequest) -> list[Part]:
    """Everything there is to open, in order: with `shown.opened`, what nobody opened."""
    about = outline_of(asked)
    if about is not None:
        change = [
            file_window(entry, at)
            for entry in about.entries
            for at in range(1, len(entry.windows) + 1)
        ]
    else:
        media = asked.diff_media
        change = list(_of_content("values", material.diff(asked), is_json=media == JSON))
    return [*change, *_of_content("parameters", material.parameters(asked), is_json=True)]


@lru_cache(maxsize=8)
def parts_of(request_id: UUID) -> tuple[Part, ...]:
    """The same, read from the record. Raises `ApprovalRequest.DoesNotExist`."""
    # What a request shows never changes: the database refuses it.
    shows = ("tenant_id", "diff", "diff_media", "parameters")
    return tuple(parts(ApprovalRequest.objects.only(*shows).get(pk=request_id)))


@lru_cache(maxsize=8)
def outline_by_id(request_id: UUID) -> Outline | None:
    """The files of the change, read from the record once."""
    return outline_of(ApprovalRequest.objects.only("diff", "diff_media").get(pk=request_id))


def outline_of(asked: ApprovalRequest) -> Outline | None:
    """The files of the change; None when it is no change of files that can be read."""
    return filepages.outline(material.diff(asked)) if asked.diff_media == DIFF else None


def file_window(entry: Entry, window: int) -> Part:
    """One window (counted from 1) of a file."""
    at = entry.windows[window - 1]
    return Part(f"{FILE}{entry.number}/{window}", at.from_byte, at.to_byte, at.digest)


def text_window(of: str, content: Content, part: int) -> Part:
    """One part (counted from 1) of a text."""
    _first, _last, start, end = showing.spans(content)[part - 1]
    return Part(f"{of}/{part}", start, end, digests.sha256_hex(content.content[start:end]))


def values_page(of: str, content: Content, page: int) -> Part:
    """One page of values: the bytes are those of the whole, because a page is no range of them."""
    return Part(f"{of}/{page}", 0, len(content.content), content.digest)


def _of_content(of: str, content: Content, *, is_json: bool) -> Iterator[Part]:
    pages = showing.json_pages(content.content) if is_json else 0
    if not pages:
        of = "text" if of == "values" else of
        for part in range(1, len(showing.spans(content)) + 1):
            yield text_window(of, content, part)
        return
    for page in range(1, pages + 1):
        yield values_page(of, content, page)
    for number in showing.clipped_values(content.content):
        yield values_page(f"{of}/whole", content, number)


def _thing(name: str) -> str:
    return name.rpartition("/")[0] if name.startswith(FILE) else name
