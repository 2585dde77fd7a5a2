"""Ids of a foreign tenant in queries and forms: as if nothing had that id, and nothing of it moves."""

from typing import Any, Final
from uuid import uuid4

import pytest

from approvals.models import ApprovalRequest
from tests.access.asking import as_manager, nothing_changes, told
from tests.access.world import TOOL, World

# Where an address takes an id in its query: the page, the parameter, what it names.
IN_QUERIES: Final = (
    ("runs/visible/", "id", "run_id"),
    ("runs/new/", "newest", "run_id"),
    ("runs/start/", "like", "run_id"),
    ("runs/", "before", "run_id"),
    ("inbox/", "after", "request_id"),
    ("approvals/batch/", "r", "request_id"),
    ("audit/", "subject", "run_id"),
    ("plans/new/?from=runs", "id", "run_id"),
)


@pytest.mark.parametrize(("page", "parameter", "name"), IN_QUERIES)
def test_a_foreign_id_in_a_query_is_as_nobodys(
    page: str, parameter: str, name: str, home: World, elsewhere: World
) -> None:
    asking, foreign = as_manager(home), str(elsewhere.names[name])
    # One beside it in time: where an id is a place in a list, both are the same place.
    nobodys = foreign[:-4] + ("0000" if foreign[-4:] != "0000" else "1111")
    with nothing_changes():
        theirs, none = (
            told(asking.get(f"/t/{home.slug}/{page}", {parameter: id_})).replace(id_.encode(), b"?")
            for id_ in (foreign, nobodys)
        )
    assert theirs == none
    assert [mark for mark in elsewhere.marks if mark.encode() in theirs] == []


def test_a_foreign_request_cannot_be_decided_in_a_batch(home: World, elsewhere: World) -> None:
    foreign = ApprovalRequest.objects.get(pk=elsewhere.names["request_id"])
    form = {
        "pair": f"{foreign.pk}:{foreign.action_hash}",
        "verdict": "reject",
        "reason": "No.",
        "nonce": str(uuid4()),
    }
    with nothing_changes():
        answer = as_manager(home).post(f"/t/{home.slug}/approvals/batches/", form)
    assert answer.status_code == 404
    body = told(answer).replace(str(foreign.pk).encode(), b"?")
    assert [mark for mark in elsewhere.marks if mark.encode() in body] == []


@pytest.mark.parametrize(
    ("page", "form", "field"),
    [
        ("approvals/{request_id}/hand-overs/", {"note": "Please."}, "colleague"),
        (
            "credentials/",
            {"tool": TOOL, "acting_identity": "x", "kept_at": "env:X", "version": "1"},
            "owner",
        ),
    ],
)
def test_no_one_of_another_tenant_is_asked_or_named(
    page: str, form: dict[str, Any], field: str, home: World, elsewhere: World
) -> None:
    address = f"/t/{home.slug}/{page.format(**home.names)}"
    asking, mine = as_manager(home), home.people["approver" if field == "colleague" else "operator"]
    with nothing_changes():
        answer = asking.post(address, {**form, field: elsewhere.people["approver"].pk})
    assert answer.status_code == 422
    assert asking.post(address, {**form, field: mine.pk}).status_code == 302
