"""Redaction: what may leave Kedge of a text or a value, by path and by value.

`Redacted` is the only text that the record, logs, exports, notifications, evidence and error texts
take, and only this module makes one: of our own words (`ours`), of what is stored (`view`), and of
anything else with what is sensitive there hidden (`Known`). A hidden part shows as a mark with its kind and a keyed fingerprint:
the same value has the same fingerprint within a tenant, and nobody without the key can test a guess.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from canonical import sensitivity
from canonical.errors import CanonicalError
from canonical.json import dumps, loads
from canonical.spellings import SHORTEST, spellings

Json = Any

# The member that stands for an encrypted part; names with $ belong to the engine.
ENCRYPTED: Final = "$encrypted"
MEMBERS: Final = frozenset({"as", "by", "key", "text"})
ENVELOPE: Final = b'"$encrypted":'  # in canonical bytes nothing but such a member reads like this
SHOWN: Final = 12  # digits of a fingerprint on screens; envelopes keep 32
KEPT: Final = 32
ERASED: Final = "erased"
FEW: Final = 200  # spellings; beyond, each text is walked once for all of them

_MADE_HERE: Final = object()


@dataclass(frozen=True)
class Redacted:
    """A value or text without anything sensitive in it. Only `canonical.redaction` makes one."""

    value: Json
    _made: object = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._made is not _MADE_HERE:
            raise TypeError("only canonical.redaction makes something Redacted")

    def __str__(self) -> str:
        """The text; of a value that is no text its canonical JSON."""
        return self.value if isinstance(self.value, str) else dumps(self.value).decode()

    def first(self, most: int) -> "Redacted":
        """Its beginning. Cut only what is redacted: of a value cut in two a half would stay."""
        return Redacted(str(self)[:most], _MADE_HERE)

    def last(self, most: int) -> "Redacted":
        """Its end, at most so many characters."""
        return Redacted(str(self)[-most:], _MADE_HERE)

    @property
    def content(self) -> bytes:
        """The text in UTF-8; bytes that were no UTF-8 come back as they were."""
        return str(self).encode("utf-8", "surrogateescape")


# What a sink takes as a fact: what is redacted, and what is no text at all.
Fact = Redacted | UUID | datetime | int | float | None


# What a sink takes as a text: what is redacted, or a text that stands in our code.
Said = LiteralString | Redacted


def ours(words: LiteralString, /, **parts: Fact) -> Redacted:
    """Our own words as they stand in the code or its translations, with parts in `%(name)s`."""
    told = {name: plain(part) for name, part in parts.items()}
    return Redacted(str(words) % told if parts else str(words), _MADE_HERE)


def plain(fact: Fact) -> Json:
    """A fact as JSON says it: text for an id, ISO 8601 for a time."""
    if isinstance(fact, Redacted):
        return fact.value
    if isinstance(fact, UUID):
        return str(fact)
    return fact.isoformat() if isinstance(fact, datetime) else fact


@dataclass(frozen=True)
class Hidden:
    """One sensitive value and the mark that is shown for it."""

    value: Json
    mark: str


class Known:
    """Sensitive values that may turn up anywhere; hides each of their spellings."""

    def __init__(self, hidden: Iterable[Hidden] = ()) -> None:
        self._alone: dict[str, str] = {}
        self._spelt: dict[str, str] = {}
        self._beginning: dict[str, set[str]] = {}
        for one in hidden:
            self.add(one)

    def __bool__(self) -> bool:
        return bool(self._alone)

    def add(self, hidden: Hidden) -> None:
        """Know one more value; of an object or a list every leaf in it is known."""
        for leaf in _leaves(hidden.value):
            self._alone.setdefault(leaf, hidden.mark)
            for spelling in spellings(leaf):
                self._spelt.setdefault(spelling, hidden.mark)
                self._beginning.setdefault(spelling[:SHORTEST], set()).add(spelling)

    def text(self, text: str) -> Redacted:
        """A text with a mark in place of every spelling of every known value."""
        return Redacted(self._text(text), _MADE_HERE)

    def content(self, content: bytes) -> bytes:
        """The same for bytes of UTF-8 text; other bytes in them stay as they are."""
        if not self:
            return content
        text = content.decode("utf-8", "surrogateescape")
        return self._text(text).encode("utf-8", "surrogateescape")

    def json(self, value: Json) -> Redacted:
        """A JSON value with marks in place of known values, in member names too."""
        return Redacted(self._json(value), _MADE_HERE)

    def finds(self, leaf: Json) -> str | None:
        """The mark of a known value that this leaf is or contains; None when there is none."""
        text = _leaf_text(leaf)
        if text is None or not self._alone:
            return None
        if text in self._alone:
            return self._alone[text]
        return next((mark for _, _, mark in self._spans(text)), None)

    def is_one(self, leaf: Json) -> bool:
        """Whether this leaf is a known value, and not merely contains one."""
        return _leaf_text(leaf) in self._alone

    def _spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where spellings stand: start, end, mark. Few are looked for one by one, many at once."""
        if len(self._spelt) <= FEW:
            for spelling, mark in self._spelt.items():
                at = text.find(spelling)
                while at != -1:
                    yield at, at + len(spelling), mark
                    at = text.find(spelling, at + 1)
            return
        for at in range(len(text) - SHORTEST + 1):
            for spelling in self._beginning.get(text[at : at + SHORTEST], ()):
                if text.startswith(spelling, at):
                    yield at, at + len(spelling), self._spelt[spelling]

    def _json(self, value: Json) -> Json:
        if not self._alone:
            return value
        if isinstance(value, dict):
            return {self._text(name): self._json(member) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self._json(item) for item in value]
        if isinstance(value, str):
            return self._text(value)
        return self.finds(value) or value  # a number in which a known one stands, too

    def _text(self, text: str) -> str:
        if text in self._alone:
            return self._alone[text]
        pieces, at = [], 0
        for start, end, mark in sorted(self._spans(text)):
            # Where two overlap, what is left of the second would give a part of it away.
            if start >= at:
                pieces += [text[at:start], mark]
            at = max(at, end)
        return "".join([*pieces, text[at:]])


def fingerprint(key: bytes, value: Json) -> str:
    """The keyed fingerprint (32 hex digits) of a JSON value. Raises `CanonicalError`."""
    message = b"kedge:fingerprint:v1\x00" + dumps(value)
    return hmac.new(key, message, hashlib.sha256).hexdigest()[:KEPT]


def mark(kind: str, of: str) -> str:
    """What is shown for a hidden part: its kind, and the beginning of its fingerprint."""
    return f"«{kind} {of[:SHOWN]}»"


def envelope(kind: str, *, by: str, key: str, text: str) -> dict[str, Json]:
    """What stands in a stored value for an encrypted part: kind, fingerprint, key id, ciphertext."""
    return {ENCRYPTED: {"as": kind, "by": by, "key": key, "text": text}}


def opened(value: Json) -> Mapping[str, str] | None:
    """The members of an envelope; None for any other value."""
    if not isinstance(value, dict) or set(value) != {ENCRYPTED}:
        return None
    inner = value[ENCRYPTED]
    if not isinstance(inner, dict) or set(inner) != MEMBERS:
        return None
    return inner if all(isinstance(one, str) for one in inner.values()) else None


def envelopes(value: Json, path: sensitivity.Path = ()) -> Iterator[tuple[sensitivity.Path, Any]]:
    """Every envelope in a stored value: its path and its members."""
    inner = opened(value)
    if inner is not None:
        yield path, inner
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from envelopes(member, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from envelopes(item, (*path, number))


def view(stored: Json, *, erased: frozenset[str] = frozenset()) -> Redacted:
    """What anybody may see of a stored value: a mark for each envelope; needs no key.

    `erased` are the ids of keys that were destroyed; what they encrypted shows as erased.
    """
    return Redacted(_view(stored, erased), _MADE_HERE)


def view_bytes(stored: bytes, *, erased: frozenset[str] = frozenset()) -> Redacted:
    """The same for stored bytes. Without an envelope they are the text they were, JSON or not."""
    if ENVELOPE in stored:
        try:
            return view(loads(stored), erased=erased)
        except CanonicalError:
            pass
    return Redacted(stored.decode("utf-8", "surrogateescape"), _MADE_HERE)


def blanked(stored: Json) -> Json:
    """A stored value with "" in place of each envelope: to be filled in again by hand."""
    if opened(stored) is not None:
        return ""
    if isinstance(stored, dict):
        return {name: blanked(member) for name, member in stored.items()}
    return [blanked(item) for item in stored] if isinstance(stored, list) else stored


def redacted(value: Json, schema: Mapping[str, Json], key: bytes) -> Redacted:
    """What anybody may see of a value that is not encrypted: by its schema, and by value."""
    where = sensitivity.marks(value, schema)
    known = Known(_hidden(sensitivity.at(value, one.path), one.kind, key) for one in where)
    marked = sensitivity.mapped(value, where, lambda part, mark: _hidden(part, mark.kind, key).mark)
    return known.json(marked)


def _hidden(part: Json, kind: str, key: bytes) -> Hidden:
    return Hidden(part, mark(kind, fingerprint(key, part)))


def _view(stored: Json, erased: frozenset[str]) -> Json:
    inner = opened(stored)
    if inner is not None:
        return mark(ERASED if inner["key"] in erased else inner["as"], inner["by"])
    if isinstance(stored, dict):
        return {name: _view(member, erased) for name, member in stored.items()}
    if isinstance(stored, list):
        return [_view(item, erased) for item in stored]
    return stored


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        text = _leaf_text(value)
        if text:
            yield text


def _leaf_text(leaf: Json) -> str | None:
    """The text of a leaf that can be told from others; True, None and small numbers cannot."""
    if isinstance(leaf, str):
        return leaf
    if isinstance(leaf, bool) or not isinstance(leaf, int | float):
        return None
    text = dumps(leaf).decode()
    return text if len(text) >= SHORTEST else None
