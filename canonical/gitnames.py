"""File names as git writes them in a diff: quoted, prefixed, or both."""

import re

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TWO = re.compile(
    r"({q}|a/[^{m}]*) ({q})|({q}) (b/.*)".replace("{q}", _QUOTED).replace("{m}", '"'), re.DOTALL
)
_ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {
    "a": b"\a",
    "b": b"\b",
    "f": b"\f",
    "n": b"\n",
    "r": b"\r",
    "t": b"\t",
    "v": b"\v",
    '"': b'"',
    "\\": b"\\",
}
_MAX_BYTE = 0o377
_NO_FILE = "/dev/null"


class BadName(ValueError):
    """A file name is not written as git writes one."""


def header_names(rest: str) -> tuple[str, str] | None:
    """Return both names of a "diff --git" line, or None when it does not tell them apart.

    Unquoted names may contain blanks; then only two equal names can be told, which is every case
    in which no other line of the diff names the file. Raises `BadName`.
    """
    if found := _TWO.fullmatch(rest):
        old, new = found[1] or found[3], found[2] or found[4]
        return _without(unquoted(old), "a/"), _without(unquoted(new), "b/")
    middle = len(rest) // 2
    old, new = rest[:middle], rest[middle + 1 :]
    if rest[middle : middle + 1] != " " or old[:2] != "a/" or new[:2] != "b/" or old[2:] != new[2:]:
        return None
    return old[2:], new[2:]


def plain_name(written: str, prefix: str) -> str | None:
    """Return the name of a ---/+++ line without its prefix, or None for no file.

    Raises `BadName`.
    """
    # Git ends a name that has blanks with a tab, also behind quotes; others put a time here. A tab
    # of the name itself is always written as \t.
    written = written.split("\t", 1)[0]
    return None if written == _NO_FILE else _without(unquoted(written), prefix)


def unquoted(name: str) -> str:
    """Return a name without git's quotes; a byte that is not UTF-8 stays written as \\xff.

    Raises `BadName` for quotes git would not have written.
    """
    if not name.startswith('"'):
        return name
    if not re.fullmatch(_QUOTED, name, re.DOTALL):
        raise BadName("has a file name with broken quotes")
    parts = _ESCAPE.split(name[1:-1])
    # With one group, split alternates between plain text and what the group matched.
    data = [
        _byte(part) if n % 2 else part.encode("utf-8", "surrogatepass")
        for n, part in enumerate(parts)
    ]
    return b"".join(data).decode("utf-8", "backslashreplace")


def _byte(escape: str) -> bytes:
    if escape in _ESCAPES:
        return _ESCAPES[escape]
    if len(escape) == len("000") and int(escape, 8) <= _MAX_BYTE:
        return bytes([int(escape, 8)])
    raise BadName("has a file name with an unknown escape")


def _without(name: str, prefix: str) -> str:
    if not name.startswith(prefix):
        raise BadName(f"has a file name without the prefix {prefix}")
    return name[len(prefix) :]
