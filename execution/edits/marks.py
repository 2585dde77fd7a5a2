"""Marks in what a person wrote: «secret 3f2a…» left where it stood means the value that stood there.

A page shows a mark in place of an encrypted value. A mark is never a value: left in its place it
stands for what it hides, and anywhere else it is refused. So nobody has to see a value to leave it,
and nobody writes a mark into the record.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from canonical import redaction
from canonical.sensitivity import KINDS, Path, pointer
from execution.edits.errors import EditRefusedError
from tenants.keys import datakeys
from tenants.keys.vaults import Vault

Json = Any

MARK: Final = re.compile(
    rf"«(?:{'|'.join((*KINDS, redaction.ERASED))}) [0-9a-f]{{{redaction.SHOWN}}}»"
)
Place = tuple[Path, str]


def filled(written: Json, shown: list[Json], vault: Vault) -> Json:
    """What was written, with the values that its marks stand for; `shown` are the stored states
    that the page showed. Raises `EditRefusedError`, `ErasedError`, `KeyRingError`."""
    erased = datakeys.erased_of(vault.tenant_id)
    hidden: dict[Place, Json] = {}
    texts: set[Place] = set()
    for stored in shown:
        for path, inner in redaction.envelopes(stored):
            as_mark = str(redaction.view({redaction.ENCRYPTED: inner}, erased=erased))
            hidden[_place(path), as_mark] = {redaction.ENCRYPTED: inner}
        texts |= {(_place(path), text) for path, text in _texts(stored) if MARK.search(text)}
    return _filled(written, (), hidden, texts, vault)


def _filled(
    value: Json, path: Path, hidden: dict[Place, Json], texts: set[Place], vault: Vault
) -> Json:
    if isinstance(value, dict):
        for name in value:
            if MARK.search(name):
                raise EditRefusedError(f"the name {name!r} at {_at(path)} is a mark, not a name")
        return {
            name: _filled(part, (*path, name), hidden, texts, vault) for name, part in value.items()
        }
    if isinstance(value, list):
        return [
            _filled(part, (*path, number), hidden, texts, vault)
            for number, part in enumerate(value)
        ]
    if not isinstance(value, str) or not MARK.search(value):
        return value
    here = (_place(path), value)
    if here in hidden:
        return _opened(hidden[here], value, path, vault)
    if here in texts:
        return value  # words of before, in which something was hidden already
    raise EditRefusedError(
        f"{_at(path)} has the mark {MARK.findall(value)[0]}, which did not stand there; a mark only "
        "stands for a value that is left in its place, so write the value itself"
    )


def _opened(envelope: Json, mark: str, path: Path, vault: Vault) -> Json:
    if mark.startswith(f"«{redaction.ERASED} "):
        raise EditRefusedError(
            f"what stood at {_at(path)} was erased and cannot be kept; write another value, or take "
            "it out"
        )
    return vault.decrypted(envelope)


def _texts(stored: Json, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every plain text of a stored value, with its path."""
    if redaction.opened(stored) is not None:
        return
    if isinstance(stored, dict):
        for name, part in stored.items():
            yield from _texts(part, (*path, name))
    elif isinstance(stored, list):
        for number, part in enumerate(stored):
            yield from _texts(part, (*path, number))
    elif isinstance(stored, str):
        yield path, stored


def _place(path: Path) -> Path:
    """A path in which the places of items do not count: an item may move when one goes."""
    return tuple("*" if isinstance(part, int) else part for part in path)


def _at(path: Path) -> str:
    return pointer(path) or "the root"
