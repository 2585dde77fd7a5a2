"""States written by hand as evidence: what was shown and bound, who wrote it, who allowed it."""

from typing import Any

from approvals.models import EditDecision, EditRequest
from checkpoints.models import Case
from reconciliation.evidence.acts import person, proved
from reconciliation.evidence.bytestore import Bytes
from tenants.trail.rows import instant

Json = Any


def of_case(case: Case, kept: Bytes) -> dict[str, Json]:
    """The edits proposed in a case as its member `edits`; nothing for a case without any."""
    found = EditRequest.objects.filter(case=case).select_related("author").order_by("id")
    edits = [_edit(each, kept) for each in found]
    return {"edits": edits} if edits else {}


def _edit(edit: EditRequest, kept: Bytes) -> dict[str, Json]:
    given = EditDecision.objects.filter(request=edit).select_related("user").first()
    return {
        "id": str(edit.pk),
        "hash": edit.edit_hash,
        "bound": bytes(edit.bound).decode(),
        "state": kept.of(edit.content),
        "diff": kept.of(edit.diff),
        "author": person(edit.author),
        "reason": edit.reason,
        "asked_at": instant(edit.asked_at),
        "expires_at": instant(edit.expires_at),
        "stands": edit.state,
        "closed_at": instant(edit.closed_at) if edit.closed_at else None,
        "closed_by": edit.closed_by,
        "closed_because": edit.closed_because,
        "checkpoint": edit.used_seq,
        "decision": _decision(given) if given else None,
    }


def _decision(given: EditDecision) -> dict[str, Json]:
    return {
        "person": person(given.user),
        "verdict": given.verdict,
        "reason": given.reason,
        "hash": given.posted_hash,
        "proved": proved(given.proved_by, given.proved_at),
        "at": instant(given.at),
    }
