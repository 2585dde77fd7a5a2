"""Large values by content, per tenant, in PostgreSQL. References are rows; see `commits`."""

from collections.abc import Iterator, Mapping
from typing import Any

from canonical import digests
from checkpoints.errors import DamagedRecordError, MissingBlobError, StateRefusedError
from checkpoints.graph import Json
from checkpoints.models import Blob

LIMIT_BYTES = 16 * 1024 * 1024
REFERENCE = "$blob"


def put(tenant_id: int, content: bytes) -> dict[str, Json]:
    """Store bytes once and read them back; returns the reference for the state.

    Raises `StateRefusedError` above 16 MiB, `DamagedRecordError` when the read-back differs.
    """
    if len(content) > LIMIT_BYTES:
        raise StateRefusedError(
            f"a blob of {len(content)} bytes is over the limit of {LIMIT_BYTES}; split it"
        )
    digest = digests.sha256_hex(content)
    row = Blob(tenant_id=tenant_id, digest=bytes.fromhex(digest), content=content)
    Blob.objects.bulk_create([row], ignore_conflicts=True)
    reference: dict[str, Json] = {REFERENCE: digest, "size": len(content)}
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
    if isinstance(value, dict):
        if isinstance(value.get(REFERENCE), str):
            yield value[REFERENCE]
        for part in value.values():
            yield from named_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from named_in(part)
