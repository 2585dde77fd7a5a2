"""Large values by content, per tenant, in PostgreSQL. References are rows; see `commits`."""

from collections.abc import Iterator, Mapping
from typing import Any

from canonical import digests
from canonical.sensitivity import Path
from checkpoints.errors import DamagedRecordError, MissingBlobError, StateRefusedError
from checkpoints.graph import Json
from checkpoints.models import Blob

LIMIT_BYTES = 16 * 1024 * 1024
REFERENCE = "$blob"


def reference_to(content: bytes) -> dict[str, Json]:
    """What stands in the state for a large value. Raises `StateRefusedError` above 16 MiB."""
    if len(content) > LIMIT_BYTES:
        raise StateRefusedError(
            f"a blob of {len(content)} bytes is over the limit of {LIMIT_BYTES}; split it"
        )
    return {REFERENCE: digests.sha256_hex(content), "size": len(content)}


def put(tenant_id: int, content: bytes) -> dict[str, Json]:
    """Store bytes once, as they are, and read them back; returns the reference for the state.

    Raises `StateRefusedError` above 16 MiB, `DamagedRecordError` when the read-back differs.
    """
    reference = reference_to(content)
    digest = bytes.fromhex(str(reference[REFERENCE]))
    row = Blob(tenant_id=tenant_id, digest=digest, content=content)
    Blob.objects.bulk_create([row], ignore_conflicts=True)
    get(tenant_id, reference)
    return reference


def get(tenant_id: int, reference: Mapping[str, Json]) -> bytes:
    """The bytes of a reference. Raises `DamagedRecordError` when missing or not what it names."""
    digest = str(reference[REFERENCE])
    content = (
        Blob.objects.filter(tenant_id=tenant_id, digest=bytes.fromhex(digest))
        .values_list("content", flat=True)
        .first()
    )
    if content is None:
        raise MissingBlobError(f"blob {digest} is missing")
    if digests.sha256_hex(bytes(content)) != digest:
        raise DamagedRecordError(f"blob {digest} is not what its digest says")
    return bytes(content)


def named_in(value: Any) -> Iterator[str]:
    """Digests of all blobs that a JSON value names."""
    for _path, digest in places_in(value):
        yield digest


def places_in(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Where a JSON value names blobs, and their digests."""
    if isinstance(value, dict):
        if isinstance(value.get(REFERENCE), str):
            yield path, value[REFERENCE]
        for name, part in value.items():
            yield from places_in(part, (*path, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places_in(part, (*path, number))
