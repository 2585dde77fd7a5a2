"""Beside what is hidden: is it the same as in the last approval of the same tool and target that was used?

Only keyed fingerprints are compared, field by field; no value is opened, and none can be guessed.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from approvals import states
from approvals.models import ApprovalRequest
from canonical import json as canonical
from canonical import redaction
from canonical.errors import CanonicalError
from canonical.strict import shown_key
from tenants.keys import datakeys

# Of so many used approvals of the tool the newest with the same target counts.
LOOKED_AT: Final = 200
SAME: Final = "same"
CHANGED: Final = "changed"
FIRST: Final = "first"

Json = Any


def compared(asked: ApprovalRequest, page: Json) -> Json:
    """A page of values (`values.JsonPart`) whose hidden parts say how they stand to the last used.

    Each row that shows a mark of a hidden parameter gets `last`: `SAME`, `CHANGED`, or `FIRST` when
    nothing was approved and used for it before; other rows get none.
    """
    hidden = _fingerprints(asked.tenant_id, bytes(asked.parameters))
    if page is None or not hidden:
        return page
    before = _last(asked)
    marks = {path: redaction.mark(*shown) for path, shown in hidden.items()}
    for row in page.changes:
        paths = [path for path, mark in marks.items() if mark in row["new"]]
        if paths:
            path = row["path"] if row["path"] in paths else paths[0]
            row["last"] = _stands(hidden[path], before, path)
    return page


def _stands(now: tuple[str, str], before: Mapping[str, tuple[str, str]] | None, path: str) -> str:
    if before is None:
        return FIRST
    return SAME if before.get(path, ("", ""))[1] == now[1] else CHANGED


def _last(asked: ApprovalRequest) -> Mapping[str, tuple[str, str]] | None:
    """The fingerprints of the last used approval of this tool and target; None without one.

    Index: used_requests_by_tool_newest.
    """
    used = ApprovalRequest.objects.filter(
        tenant=asked.tenant_id, tool=asked.tool, state=states.USED
    ).exclude(action_id=asked.action_id)
    newest = used.order_by("-id").values_list("pk", "target")[:LOOKED_AT]
    found: UUID | None = next((pk for pk, target in newest if target == asked.target), None)
    if found is None:
        return None
    parameters = ApprovalRequest.objects.values_list("parameters", flat=True).get(pk=found)
    return _fingerprints(asked.tenant_id, bytes(parameters))


def _fingerprints(tenant_id: int, stored: bytes) -> dict[str, tuple[str, str]]:
    """Kind and keyed fingerprint of what is encrypted, by path; what was erased has none any more."""
    if redaction.ENVELOPE not in stored:
        return {}
    try:
        value = canonical.loads(stored)
    except CanonicalError:
        return {}
    erased = datakeys.erased_of(tenant_id)
    return {
        "".join(f"/{shown_key(str(name))}" for name in path): (inner["as"], inner["by"])
        for path, inner in redaction.envelopes(value)
        if inner["key"] not in erased
    }
