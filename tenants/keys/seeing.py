"""The one door from stored content to pages and exports: marks in place of what is encrypted."""

from typing import Any

from canonical import redaction
from canonical.redaction import Redacted
from tenants.keys import datakeys


def of(tenant_id: int, stored: bytes | memoryview) -> Redacted:
    """What anybody who may read this tenant's content sees of stored bytes; needs no key.

    Content without anything encrypted comes back as it is.
    """
    content = bytes(stored)
    return redaction.view_bytes(content, erased=_erased(tenant_id, content))


def of_value(tenant_id: int, stored: Any) -> Redacted:
    """The same for a stored JSON value that was read already."""
    erased = datakeys.erased_of(tenant_id) if any(redaction.envelopes(stored)) else frozenset()
    return redaction.view(stored, erased=erased)


def _erased(tenant_id: int, content: bytes) -> frozenset[str]:
    return datakeys.erased_of(tenant_id) if redaction.ENVELOPE in content else frozenset()
