"""Is what would happen now still what people were asked about? One comparison for all who ask it."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from approvals import hashing, judging
from approvals.drift import terms
from approvals.errors import DamagedRequestError
from approvals.hashing import Bound, Difference
from approvals.models import ApprovalRequest
from approvals.rules import Requirement, covers
from canonical import json as canonical

Json = Any

REQUIREMENT: Final = "requirement"


def since(
    request: ApprovalRequest, bound: Bound, requirement: Mapping[str, Json]
) -> list[Difference]:
    """What moved between a stored request and a fresh dry run of its action; empty: nothing.

    `bound` is not sealed; which question it was does not count. A request that does not match its
    own hash has moved too: the fields that do not fit are named. What the rules demand has moved
    only when the stored demand does not cover it any more: fewer people now is no news.
    """
    try:
        moved = _of_content(request, bound)
        stored, now = judging.demands(request), Requirement.from_json(requirement)
    except DamagedRequestError as error:
        return list(error.differences) or [Difference("action_hash", request.action_hash, None)]
    if not covers(stored, now):
        moved.append(_demands(request, requirement))
    return moved


def between(saw: ApprovalRequest, now: ApprovalRequest) -> list[Difference]:
    """What moved from one stored request to another, which question it was left out.

    Raises `DamagedRequestError` when the newer one is not what was asked.
    """
    bound = judging.bound_of(now)
    try:
        moved = _of_content(saw, bound)
    except DamagedRequestError:
        return since(saw, bound, now.requirement)
    return moved + ([_demands(saw, now.requirement)] if saw.requirement != now.requirement else [])


def at_dispatch(action_id: UUID, action_hash: str) -> list[Difference]:
    """Why the last check refused this hash: what the newest request of the action has otherwise.

    Fields of the newest that do not match its own hash are named first.
    """
    newest = ApprovalRequest.objects.filter(action_id=action_id).order_by("-revision").first()
    meant = judging.shown_as(action_id, action_hash)
    try:
        now = judging.bound_of(newest) if newest is not None else None
    except DamagedRequestError as error:
        return list(error.differences)
    if newest is None or now is None or meant is None or meant.pk == newest.pk:
        return []
    return since(meant, now, newest.requirement)


def fields(moved: list[Difference]) -> str:
    """The names of the fields for the record, as they stand in the hash: "diff_digest nonce"."""
    return " ".join(difference.field for difference in moved)


def sentence(moved: list[Difference]) -> str:
    """Why a question is asked anew, for the record and the page of the old one."""
    what = terms.named(moved)
    return f"The question changed: {what}." if what else "The question changed."


def _of_content(request: ApprovalRequest, bound: Bound) -> list[Difference]:
    return hashing.differences(judging.bound_of(request).content(), bound.content())


def _demands(request: ApprovalRequest, now: Mapping[str, Json]) -> Difference:
    return Difference(REQUIREMENT, _text(request.requirement), _text(now))


def _text(requirement: Mapping[str, Json]) -> str:
    return canonical.dumps(dict(requirement)).decode()
