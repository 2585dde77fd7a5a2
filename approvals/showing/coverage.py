"""What there is to open of a request, and how much of it a person has opened."""

from collections.abc import Collection, Iterator
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
    text, pages of values and of parameters.
    """

    opened_files: int
    files: int
    opened_parts: int
    parts: int

    @property
    def is_whole(self) -> bool:
        return self.opened_parts == self.parts

    @property
    def unopened(self) -> int:
        """What is left to open: files when the change has files, else parts."""
        return (
            max(self.files - self.opened_files, 0) if self.files else self.parts - self.opened_parts
        )


def of(asked: ApprovalRequest, user: User, also: Collection[str] = ()) -> Coverage:
    """What this person opened, `also` being parts they are opening with this answer.

    What they opened in an earlier question about the same action counts where the bytes are equal.
    """
    everything = [part.name for part in _parts(asked.pk)]
    names = shown.opened_by(asked, user) | set(also)
    names |= rereading.carried(asked, user, _parts(asked.pk))
    files: dict[str, bool] = {}
    for name in everything:
        if name.startswith(FILE):
            file = name.rpartition("/")[0]
            files[file] = files.get(file, True) and name in names
    return Coverage(
        opened_files=sum(files.values()),
        files=len(files),
        opened_parts=sum(name in names for name in everything),
        parts=len(everything),
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


@lru_cache(maxsize=8)
def _parts(request_id: UUID) -> tuple[Part, ...]:
    # What a request shows never changes: the database refuses it.
    shows = ("diff", "diff_media", "parameters")
    return tuple(parts(ApprovalRequest.objects.only(*shows).get(pk=request_id)))
