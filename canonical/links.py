"""Plain web addresses in a text that nobody vouches for: only those that cannot be another's."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r"(?<!\w)https?://[^\s<>\"'`]+", re.IGNORECASE)
# A host, perhaps a port, and a path. No user part ("https://bank.example@elsewhere" leads
# elsewhere), no backslash (a browser takes it for a slash), nothing outside ASCII.
_ADDRESS = re.compile(
    r"https?://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[0-9]{1,5})?(?:[/?#][!-?A-\[\]-~]*)?",
    re.IGNORECASE,
)
_LAST = ".,;:!?)]}"


class Stretch(NamedTuple):
    """A stretch of text; `is_link` when the whole of it is a plain http(s) address."""

    text: str
    is_link: bool = False


def stretches(text: str) -> Iterator[Stretch]:
    """Split a text into what is a plain http(s) address and what is not; joined, it is the text.

    An address that is odd in any way is text, whole: never a link to its harmless beginning.
    """
    at = 0
    for token in _TOKEN.finditer(text):
        link = token[0].rstrip(_LAST)
        if not _ADDRESS.fullmatch(link):
            continue
        if token.start() > at:
            yield Stretch(text[at : token.start()])
        yield Stretch(link, is_link=True)
        at = token.start() + len(link)
    if at < len(text):
        yield Stretch(text[at:])
