"""From a stored request to the text a model is given of it: what its page shows, already redacted."""

from collections.abc import Iterator
from typing import Final

from approvals.looking.view import Raw, View, Writer, as_lines
from approvals.models import ApprovalRequest
from approvals.showing import coverage, filepages, material
from approvals.showing import values as showing
from approvals.showing.coverage import JSON
from approvals.showing.values import Content
from canonical.outlines import Entry, Outline
from canonical.unified import Row

FACTS: Final = "facts"
CHANGE: Final = "change"
PARAMETERS: Final = "parameters"
SIGNS: Final = {"added": "+", "removed": "-", "context": " ", "note": "\\ "}


def of(asked: ApprovalRequest) -> View:
    """What the model is given: facts, parameters, then the change, unusual files first."""
    writer, content = Writer(), material.diff(asked)
    writer.part(FACTS, _facts(asked))
    parameters = material.parameters(asked)
    writer.part(PARAMETERS, _values(parameters, "parameters") or _text(parameters, "parameters"))
    about = coverage.outline_of(asked)
    if about is not None:
        _files(writer, content, about)
    else:
        values = _values(content, "values") if asked.diff_media == JSON else None
        writer.part(CHANGE, values or _text(content, "text"))
    return writer.done()


def _facts(asked: ApprovalRequest) -> Iterator[Raw]:
    yield Raw(f"What would happen: {asked.describe}")
    yield Raw(f"Tool: {asked.tool}")
    yield Raw(f"Target: {asked.target}")
    for name, size in sorted(asked.magnitude.items()):
        yield Raw(f"Size: {name} {size}")
    for line in asked.summary:
        yield Raw(f"Summary of the tool: {line}")


def _files(writer: Writer, content: Content, about: Outline) -> None:
    for entry in about.unusual_first():
        if writer.is_full:
            writer.leave_out(1)
            continue
        # The line that says what becomes of the file counts beside its rows.
        writer.part(entry.file.name, _of_file(content, entry), total=entry.rows + 1)


def _of_file(content: Content, entry: Entry) -> Iterator[Raw]:
    file = entry.file
    modes = f", mode {file.old_mode} to {file.new_mode}" if file.mode_changed else ""
    was = f", was {file.old_name}" if file.old_name and file.old_name != file.name else ""
    first = coverage.file_window(entry, 1).name
    yield Raw(f"[{file.status}, {entry.file_class}{modes}{was}]", first)
    for number in range(1, len(entry.windows) + 1):
        part = filepages.file_part(content, entry, number)
        name = coverage.file_window(entry, number).name
        for hunk in part.hunks:
            for row in hunk.rows:
                yield _row(Row(*row[:4]), name)


def _row(row: Row, part: str) -> Raw:
    old = row.old_no if row.kind == "removed" else None
    return Raw(SIGNS[row.kind] + row.text, part, old, row.new_no)


def _values(content: Content, of: str) -> Iterator[Raw] | None:
    """A JSON diff, or JSON parameters, a line for each difference; None when it is not JSON."""
    pages = showing.json_pages(content.content)
    return _pages(content, of, pages) if pages else None


def _pages(content: Content, of: str, pages: int) -> Iterator[Raw]:
    for page in range(1, pages + 1):
        found = showing.json_part(content.content, page=page)
        for row in found.changes if found else []:
            said = " becomes ".join(text for text in (row["old"], row["new"]) if text)
            yield Raw(f"{row['kind']} {row['path'] or '/'}: {said}", f"{of}/{page}")


def _text(content: Content, of: str) -> Iterator[Raw]:
    """A text, part by part as its pages show it. Lines are numbered within their part."""
    for part in range(1, len(showing.spans(content)) + 1):
        yield from as_lines(showing.text_part(content.content, part).text, f"{of}/{part}")
