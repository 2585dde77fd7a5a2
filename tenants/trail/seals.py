"""What a link of the audit chain and a signed head are, byte by byte. Pure.

A link commits to the digest of its row, not to the row: whoever proves one row of a tenant shows
the links after it without showing the rows in between.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from canonical import json as canonical
from canonical.errors import CanonicalError
from tenants.signing import Believed, SigningKey

FIRST_FORM: Final = "kedge/audit-seal/1"  # the row itself in the link: what was sealed before
SECOND_FORM: Final = "kedge/audit-seal/2"
CONTENT: Final = "kedge/audit-row/1"
HEAD: Final = "kedge/audit-head/1"
GENESIS: Final = bytes(32)

Json = Any


@dataclass(frozen=True)
class Link:
    """The end of a chain: the position of its last seal and its digest."""

    position: int = 0
    digest: bytes = GENESIS


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a chain: where, of which row (0: of none), and one sentence."""

    position: int | None
    audit_id: int
    sentence: str


@dataclass(frozen=True)
class Sealed:
    """One link as it is stored or exported. `row` None: only its digest is shown.

    `content` is the digest of the row, b"" in a link of the first form, which holds the row.
    """

    position: int
    previous: bytes
    digest: bytes
    content: bytes
    row: Mapping[str, Json] | None = None

    @property
    def audit_id(self) -> int:
        return int(self.row["audit_id"]) if self.row else 0


def content_digest(row: Mapping[str, Json]) -> bytes:
    """The digest of an audit row, given as JSON (`rows.as_json`)."""
    return sha256(canonical.dumps({"domain": CONTENT, "row": dict(row)})).digest()


def link_digest(position: int, previous: bytes, content: bytes) -> bytes:
    """The digest of the link at `position` after the link with digest `previous`."""
    return _digest_of(SECOND_FORM, position, previous, {"content": content.hex()})


def problems_of(sealed: Sealed, before: Link) -> Iterator[Problem]:
    """All that is wrong with one link that should follow `before`."""
    here, audit_id = sealed.position, sealed.audit_id
    if here != before.position + 1:
        yield Problem(here, audit_id, f"Position {before.position + 1} is missing before {here}.")
    if sealed.previous != before.digest:
        yield Problem(here, audit_id, f"Position {here} does not follow on the one before it.")
    row, known = sealed.row, _expected(sealed)
    if row is not None and sealed.content and sealed.content != content_digest(row):
        yield Problem(here, audit_id, f"Row {audit_id} at position {here} is not what was sealed.")
    elif known != sealed.digest:
        what = f"Row {audit_id} at position {here} is" if row else f"Position {here} is"
        yield Problem(here, audit_id, f"{what} not what was sealed.")


def walk(
    links: Iterable[Sealed], start: Link | None = None
) -> Iterator[tuple[Link, list[Problem]]]:
    """Each link's place and what is wrong with it, in order, going on after damage."""
    end = start or Link()
    for sealed in links:
        found = list(problems_of(sealed, end))
        end = Link(sealed.position, sealed.digest)
        yield end, found


def head_value(installation: str, tenant: int | None, end: Link, at: str) -> dict[str, Json]:
    """What is signed: that this tenant's chain had this end at this time."""
    return {
        "installation": installation,
        "tenant": tenant,
        "position": end.position,
        "digest": end.digest.hex(),
        "at": at,
    }


def signed_head(value: Mapping[str, Json], key: SigningKey) -> dict[str, Json]:
    """A head with the id of the key that signed it and the signature."""
    return {**value, "key": key.public.id, "signature": key.sign(HEAD, dict(value))}


def head_trouble(head: Mapping[str, Json], believed: Believed) -> str:
    """Why a signed head is not believed, as the rest of a sentence; "" when it is."""
    value = {name: each for name, each in head.items() if name not in ("key", "signature")}
    return believed.trouble(head, HEAD, value)


def sealable(detail: Json) -> Json:
    """A row's detail as it is sealed.

    A row inserted by hand may hold what our canonical form refuses; it must not stop the sealer
    for everybody, so it is sealed by the digest of its text.
    """
    try:
        canonical.dumps(detail)
    except CanonicalError:
        text = json.dumps(detail, sort_keys=True).encode()
        return {"not_canonical": sha256(text).hexdigest()}
    return detail


def _expected(sealed: Sealed) -> bytes:
    if sealed.content:
        return link_digest(sealed.position, sealed.previous, sealed.content)
    row = dict(sealed.row or {})
    return _digest_of(FIRST_FORM, sealed.position, sealed.previous, {"row": row})


def _digest_of(form: str, position: int, previous: bytes, member: dict[str, Json]) -> bytes:
    link = {"domain": form, "position": position, "previous": previous.hex(), **member}
    return sha256(canonical.dumps(link)).digest()
