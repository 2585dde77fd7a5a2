"""Which troubles are one problem: the same trouble, whatever ids, numbers, times and paths it names. Pure."""

import re
from typing import Final

from canonical import digests

LONGEST_READ: Final = 2_000
LONGEST_KEPT: Final = 300

# What tells one trouble from another although it is a number: "HTTP 503" is not "HTTP 404".
CODES: Final = (
    r"(?i:\b(?:https?|status(?: code)?|code|errno|exit(?: code)?|signal|sqlstate|smtp)"
    r"[ :=#\[(]{1,3})"
)
# In this order: what holds others comes first. Each is linear, and the text is bounded.
_HOLES: Final = (
    # Marks of encrypted parts end in the beginning of a keyed fingerprint, so they are ids as well.
    ("<id>", r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
    ("<address>", r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}"),
    (
        "<time>",
        r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?"
        r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?(?!\w)",
    ),
    ("<time>", r"\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[AaPp][Mm]))?\b"),
    (r"\g<host><path>", r"(?P<host>\b[a-z][a-z0-9+.-]{1,15}://[^\s/\"'<>]{1,200})/[^\s\"'<>]*"),
    ("<path>", r"(?<![\w<>:/])(?:[A-Za-z]:)?(?:[\\/][\w.@+~=-]{1,100}){2,40}[\\/]?"),
    ("<ip>", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"),
    ("<hash>", r"\b0x[0-9a-fA-F]{1,32}\b"),
    ("<hash>", r"\b(?=[a-fA-F]{0,63}\d)(?=\d{0,63}[a-fA-F])[0-9a-fA-F]{7,128}\b"),
    (
        "<hash>",
        r"\b(?=(?:[A-Za-z_]{0,30}\d){2})(?=[\dA-Z_]{0,60}[a-z])(?=[\da-z_]{0,60}[A-Z])"
        r"\w{16,200}\b={0,2}",
    ),
)
_CODED: Final = re.compile(CODES + r"\d{1,5}\b")
# A few digits in or after a word are its name: sha256, utf8, s3; not order8812.
_NAMED: Final = re.compile(r"\b[A-Za-z]{1,40}\d{1,3}(?:[A-Za-z]{3,40})?\b(?![.,]\d)")
_NUMBER: Final = re.compile(r"(?:(?<!\w)[-+])?\d(?:[\d_ ,.']{0,30}\d)?%?")
_STEPS: Final = tuple((re.compile(pattern), put) for put, pattern in _HOLES)
_SPACE: Final = re.compile(r"\s+")


def of(kind: str, *, task_type: str, node: str, tool: str = "", error: str = "") -> str:
    """The fingerprint of a trouble, in hex. `error` is what was said, as it was said.

    The combo is no part of it: the same trouble in two combos is one problem, counted by combo.
    """
    return digests.tagged("problem", [kind, task_type, node, tool, normalised(error)])


def normalised(error: str) -> str:
    """What was said without what differs each time: ids, numbers, hashes, times, addresses, paths.

    Idempotent. Short numbers that name a kind of error ("HTTP 503", "exit code 137") and names
    that end in digits ("sha256") stay. Reads the first 2,000 characters and keeps 300.
    """
    text = _SPACE.sub(" ", error[:LONGEST_READ]).strip()
    for pattern, put in _STEPS:
        text = pattern.sub(put, text)
    return _SPACE.sub(" ", _numbers(text)).strip()[:LONGEST_KEPT].strip()


def _numbers(text: str) -> str:
    """Numbers but for those that stay; what stays is stepped over, never looked into."""
    out, at = [], 0
    for kept in _stays(text):
        out += [_NUMBER.sub("<n>", text[at : kept.start()]), kept.group()]
        at = kept.end()
    return "".join([*out, _NUMBER.sub("<n>", text[at:])])


def _stays(text: str) -> list[re.Match[str]]:
    found = sorted((*_CODED.finditer(text), *_NAMED.finditer(text)), key=re.Match.start)
    last, apart = -1, []
    for each in found:
        if each.start() >= last:
            apart.append(each)
            last = each.end()
    return apart
