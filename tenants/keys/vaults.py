"""A vault encrypts and decrypts one tenant's fields, and knows what must be hidden meanwhile.

The same value under the same key always becomes the same bytes (AES-SIV): a node that runs again
after a kill leaves the same state, and the same effect proposed again has the same digest.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from canonical import json as canonical
from canonical import redaction, sensitivity
from canonical.redaction import Hidden, Known
from canonical.sensitivity import Mark
from tenants.keys import datakeys, hiding
from tenants.keys.datakeys import TENANT, Key
from tenants.keys.errors import EncryptionRefusedError, KeyRingError, KeysError

Json = Any

PADDED_TO = 32  # bytes: the length of a ciphertext says little of the length of a value

_bound: ContextVar["Vault | None"] = ContextVar("vault", default=None)


class Vault:
    """One tenant's keys while a turn or a request lasts. `known` are the values it has handled."""

    def __init__(self, tenant_id: int) -> None:
        self.tenant_id = tenant_id
        self.known = Known()
        self._keys: dict[str, Key] = {}
        self._live: dict[bytes, Key] = {}
        self._origin: dict[str, tuple[str, Key]] = {}
        self._of_key: dict[str, Known] = {}

    def encrypted(self, value: Json, schema: Mapping[str, Json]) -> Json:
        """A copy with envelopes for what the schema marks, and for copies of known values.

        Raises `EncryptionRefusedError`, `KeyRingError`.
        """
        try:
            where = sensitivity.marks(value, schema)
        except sensitivity.SensitivityError as error:
            raise EncryptionRefusedError(f"{error}.") from error
        marked = sensitivity.mapped(value, where, self._part)
        return self._copies(marked, ()) if self.known else marked

    def copies_encrypted(self, stored: Json) -> Json:
        """The same for a stored value, once more is known: envelopes stay, copies become such.

        Raises `EncryptionRefusedError`.
        """
        return self._copies(stored, ()) if self.known else stored

    def encrypted_bytes(self, content: bytes, schema: Mapping[str, Json]) -> bytes:
        """The same for canonical bytes; bytes without anything sensitive come back as they are.

        Raises also for content that has a member of our own name: it could be opened as if it
        were ours.
        """
        if redaction.ENVELOPE in content:
            raise EncryptionRefusedError(f"the name {redaction.ENVELOPE!r} belongs to the engine.")
        if not sensitivity.declares(schema) and not self.known:
            return content
        return canonical.dumps(self.encrypted(canonical.loads(content), schema))

    def encrypted_whole(self, value: Json) -> Json:
        """One envelope for the whole of a value."""
        return self._envelope(value, sensitivity.SECRET, self._live_key(TENANT))

    def masked(self, value: Json, schema: Mapping[str, Json]) -> Json:
        """A copy with marks for good, of what cannot be encrypted and has to be kept all the same."""
        key = self._live_key(TENANT).fingerprints
        try:
            seen = redaction.redacted(value, schema, key).value
        except sensitivity.SensitivityError:
            return redaction.mark(sensitivity.SECRET, redaction.fingerprint(key, value))
        return self.known.json(seen).value

    def decrypted(self, stored: Json) -> Json:
        """A copy with the values of all envelopes, which are known from now on.

        Raises `ErasedError`, `KeyRingError`, and `KeysError` for an envelope that does not open.
        """
        inner = redaction.opened(stored)
        if inner is not None:
            return self._opened(inner)
        if isinstance(stored, dict):
            return {name: self.decrypted(member) for name, member in stored.items()}
        if isinstance(stored, list):
            return [self.decrypted(item) for item in stored]
        return stored

    def decrypted_bytes(self, content: bytes) -> bytes:
        """The same for canonical bytes: what is sent, exactly."""
        if redaction.ENVELOPE not in content:
            return content
        return canonical.dumps(self.decrypted(canonical.loads(content)))

    def learn(self, content: bytes) -> None:
        """Know the values of all envelopes in stored bytes, but for those that nobody can open.

        Raises `KeyRingError`.
        """
        if redaction.ENVELOPE not in content:
            return
        with suppress(canonical.CanonicalError):
            for _path, inner in redaction.envelopes(canonical.loads(content)):
                try:
                    self._opened(inner)
                except KeyRingError:
                    raise
                except KeysError:
                    continue  # erased or changed: it cannot be quoted from here either

    def fingerprint(self, value: Json) -> str:
        """The tenant's keyed fingerprint of a value (32 hex digits)."""
        return redaction.fingerprint(self._live_key(TENANT).fingerprints, value)

    def person(self, subject: str) -> bytes:
        """What stands for a person of this tenant where data keys are kept."""
        return self._live_key(TENANT).person(subject)

    def make_ready(self) -> None:
        """Open the tenant's key now: what is encrypted later under it asks the database nothing."""
        self._live_key(TENANT)

    def _part(self, part: Json, mark: Mark) -> Json:
        key = self._live_key(TENANT)
        if mark.subject:
            key = self._live_key(key.person(mark.subject))
        return self._envelope(part, mark.kind, key)

    def _copies(self, value: Json, path: sensitivity.Path) -> Json:
        """Encrypt leaves in which a known value stands: a copy is as sensitive as the original."""
        if redaction.opened(value) is not None:
            return value
        if isinstance(value, dict):
            for name in value:
                if self.known.finds(name):
                    where = sensitivity.pointer(path) or "the root"
                    raise EncryptionRefusedError(f"a name of a member at {where} is sensitive.")
            return {name: self._copies(part, (*path, name)) for name, part in value.items()}
        if isinstance(value, list):
            return [self._copies(part, (*path, number)) for number, part in enumerate(value)]
        if self.known.finds(value) is None:
            return value
        return self._envelope(value, *self._whose(value, path))

    def _whose(self, leaf: Json, path: sensitivity.Path) -> tuple[str, Key]:
        """Kind and key of a copy: the person's in whose values it stands, else the tenant's.

        Under the key of one of two people it could be read after the other was erased: refused.
        """
        exact = [known for known in self._of_key.values() if known.is_one(leaf)]
        marks = [known.finds(leaf) for known in exact or self._of_key.values()]
        found = [self._origin[mark] for mark in marks if mark is not None]
        people = [origin for origin in found if origin[1].of_person]
        if len(people) > 1:
            where = sensitivity.pointer(path) or "the root"
            raise EncryptionRefusedError(
                f"values of {len(people)} people stand in one place, at {where}, and one key would "
                "outlive the other. Keep them in parts of their own, or mark whose each part is."
            )
        return (people or found)[0]

    def _envelope(self, part: Json, kind: str, key: Key) -> Json:
        plain = canonical.dumps(part)
        padded = plain.ljust(-(-len(plain) // PADDED_TO) * PADDED_TO)
        text = AESSIV(key.cipher).encrypt(padded, [_bound_to(key, kind)])
        by = redaction.fingerprint(key.fingerprints, part)
        self._know(part, kind, by, key)
        encoded = base64.urlsafe_b64encode(text).decode().rstrip("=")
        return redaction.envelope(kind, by=by, key=key.id, text=encoded)

    def _opened(self, inner: Mapping[str, str]) -> Json:
        key = self._key(inner["key"])
        try:
            text = base64.urlsafe_b64decode(inner["text"] + "=" * (-len(inner["text"]) % 4))
            plain = AESSIV(key.cipher).decrypt(text, [_bound_to(key, inner["as"])])
        except (InvalidTag, binascii.Error, ValueError):
            raise KeysError(
                f"What key {key.id} encrypted does not open: it was changed since."
            ) from None
        value = canonical.loads(plain)
        self._know(value, inner["as"], inner["by"], key)
        return value

    def _know(self, value: Json, kind: str, by: str, key: Key) -> None:
        mark = redaction.mark(kind, by)
        self.known.add(Hidden(value, mark))
        self._of_key.setdefault(key.id, Known()).add(Hidden(value, mark))
        self._origin[mark] = (kind, key)

    def _key(self, key_id: str) -> Key:
        if key_id not in self._keys:
            try:
                self._keys[key_id] = datakeys.by_id(self.tenant_id, key_id)
            except (LookupError, ValueError) as error:
                raise KeysError(f"{error}.") from error
        return self._keys[key_id]

    def _live_key(self, person: bytes) -> Key:
        key = self._live.get(person)
        if key is None:
            key = datakeys.live(self.tenant_id, person)
            # One that a rollback can take away must not be used after it.
            if not datakeys.in_transaction():
                self._live[person] = key
        return key


@contextmanager
def bound(tenant_id: int) -> Iterator[Vault]:
    """One vault for all that happens inside; its values are hidden in whatever is said there."""
    current = _bound.get()
    if current is not None and current.tenant_id == tenant_id:
        yield current
        return
    vault = Vault(tenant_id)
    token = _bound.set(vault)
    try:
        with hiding.hiding(vault.known):
            yield vault
    except Exception as error:
        _hide_in(error, vault.known)
        raise
    finally:
        _bound.reset(token)


def vault_of(tenant_id: int) -> Vault:
    """The vault that is bound for this tenant; else a new one."""
    current = _bound.get()
    return current if current is not None and current.tenant_id == tenant_id else Vault(tenant_id)


def _hide_in(error: BaseException | None, known: Known) -> None:
    """An error that leaves takes no value along, whoever writes it down outside."""
    seen: set[int] = set()
    while known and error is not None and id(error) not in seen:
        seen.add(id(error))
        error.args = tuple(_without(known, part) for part in error.args)
        for name, value in list(vars(error).items()):
            hidden = _without(known, value)
            if hidden is not value:
                setattr(error, name, hidden)
        error = error.__cause__ or error.__context__


def _without(known: Known, part: Any) -> Any:
    """The same thing, or what would be said of it when that names a known value."""
    if part is None or isinstance(part, int | float):
        return part
    if isinstance(part, list):  # notes of an error must stay a list
        return [_without(known, each) for each in part]
    said = part if isinstance(part, str) else repr(part)
    hidden = str(known.text(said))
    return part if hidden == said else hidden


def _bound_to(key: Key, kind: str) -> bytes:
    return b"kedge:encrypted:v1:%d:%s:%s" % (key.tenant_id, key.id.encode(), kind.encode())
