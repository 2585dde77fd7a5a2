"""The ways one value may stand in a text: as it is, escaped, encoded, or broken into lines."""

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

# Below this a value would be found everywhere by chance; it is hidden where it stands alone.
SHORTEST = 6
_SHORTEST_BASE64 = 8


def spellings(value: str) -> set[str]:
    """All texts that give the value away when they stand in another text; none for a short value.

    Of a value with several lines each line counts: a diff puts a sign before every line.
    """
    found: set[str] = set()
    for part in {value, value.strip(), *(line.strip() for line in value.splitlines())}:
        if len(part) >= SHORTEST:
            found |= {spelling for spelling in _all(part) if len(spelling) >= SHORTEST}
    return found


def _all(value: str) -> Iterator[str]:
    data = value.encode("utf-8", "surrogatepass")
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield repr(value)[1:-1]
    yield repr(data)[2:-1]
    yield html.escape(value)
    yield html.escape(value, quote=False)
    for encoded in (quote(data, safe=""), quote(data), quote_plus(data)):
        yield encoded
        yield _lower_escapes(encoded)
    yield data.hex()
    yield data.hex().upper()
    yield from _in_base64(data)


def _lower_escapes(encoded: str) -> str:
    head, *escaped = encoded.split("%")
    return head + "".join("%" + part[:2].lower() + part[2:] for part in escaped)


def _in_base64(data: bytes) -> Iterator[str]:
    """What base64 shows of the value wherever it begins in what is encoded (three alignments)."""
    for before in range(3):
        padded = b"\0" * before + data
        whole = len(padded) // 3 * 3  # characters after this depend on what follows
        first = -(-before * 8 // 6)  # characters before this depend on what comes before
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            stable = encode(padded[:whole]).decode()[first:]
            if len(stable) >= _SHORTEST_BASE64:
                yield stable
