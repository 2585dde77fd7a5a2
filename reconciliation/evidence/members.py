"""The format of evidence: its version, its members, and what its signature covers. Pure.

`contents` holds the bytes that other members name by digest, so it proves itself: a copy from which
payloads were taken out (null) is still the same signed document.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from canonical import digests
from tenants.signing import Believed, SigningKey

FORMAT: Final = "kedge-evidence/3"
# What older forms have no member for; they still verify.
LACKING: Final = {
    "kedge-evidence/1": ("forks", "numbers", "plans", "recoveries"),
    "kedge-evidence/2": ("forks", "plans"),
}
MEMBERS: Final = (
    "format",
    "about",
    "made",
    "tenant",
    "run",
    "checkpoints",
    "actions",
    "cases",
    "recoveries",
    "forks",
    "plans",
    "events",
    "numbers",
    "trail",
)
UNSIGNED: Final = ("contents", "signature")
DOMAIN: Final = "evidence/1"
TAG: Final = "evidence-member"
DEPTH: Final = 3
MOST_EVENTS: Final = 10_000  # of a run's history, from its beginning
MOST_FORKS: Final = 1_000

Json = Any
Document = Mapping[str, Json]


def sign(document: Document, key: SigningKey) -> dict[str, Json]:
    """The `signature` of a document: the digest of each member, and one signature over all."""
    members = member_digests(document)
    return {
        "key": key.public.id,
        "members": members,
        "signature": key.sign(DOMAIN, members),
    }


def signature_trouble(document: Document, believed: Believed) -> str:
    """Why the signature over the digests is not believed; "" when it is."""
    signature = document["signature"]
    return believed.trouble(signature, DOMAIN, signature["members"])


def changed_members(document: Document) -> Iterator[tuple[str, str]]:
    """Members that are not what was signed: (pointer, the rest of a sentence)."""
    signed, now = document["signature"]["members"], member_digests(document)
    for pointer in sorted(signed.keys() | now.keys()):
        if pointer not in now:
            yield pointer, "was signed and is missing"
        elif pointer not in signed:
            yield pointer, "was not there when the rest was signed"
        elif signed[pointer] != now[pointer]:
            yield pointer, "is not what was signed"


def member_digests(document: Document) -> dict[str, str]:
    """The digest of every member, three levels deep, by JSON pointer. Raises CanonicalError."""
    signed = {name: value for name, value in document.items() if name not in UNSIGNED}
    return {pointer: digests.tagged(TAG, value) for pointer, value in _flat(signed, "", 0)}


def _flat(value: Json, pointer: str, depth: int) -> Iterator[tuple[str, Json]]:
    if depth < DEPTH and isinstance(value, dict) and value:
        for name, member in value.items():
            yield from _flat(member, f"{pointer}/{name}", depth + 1)
    elif depth < DEPTH and isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _flat(item, f"{pointer}/{number}", depth + 1)
    else:
        yield pointer, value
