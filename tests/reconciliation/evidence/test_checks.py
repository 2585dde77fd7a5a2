"""Each check speaks for itself, in a file that the installation's own key has signed."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from canonical import digests
from reconciliation.evidence.members import MOST_EVENTS
from tests.reconciliation.evidence.samples import AT, signed, verified

pytestmark = pytest.mark.django_db  # only so that there is a database to make the evidence in

Json = Any
LONG_AGO = "2000-01-01T00:00:00.000000+00:00"
FAR_AHEAD = "2100-01-01T00:00:00.000000+00:00"
OTHER_ID = "00000000-0000-4000-8000-000000000000"
OTHER = "0" * 64


def asked(document: Json) -> Json:
    return document["actions"][0]["requests"][0]


def attempt(document: Json) -> Json:
    return document["actions"][0]["attempts"][0]


def decision(document: Json) -> Json:
    return asked(document)["decisions"][0]


def _another_parent(document: Json) -> None:
    last = document["checkpoints"][-1]
    header = json.loads(last["header"]) | {"parent": "A" * 43}
    last["header"] = json.dumps(header, sort_keys=True, separators=(",", ":"))
    last["digest"] = digests.sha256_hex(last["header"].encode())


def _bound_to(name: str, value: Json) -> Callable[[Json], None]:
    """The hash is computed anew: only what is bound differs from what is shown."""

    def change(document: Json) -> None:
        bound = json.loads(asked(document)["bound"]) | {name: value}
        asked(document)["bound"] = json.dumps(bound, sort_keys=True, separators=(",", ":"))
        asked(document)["hash"] = digests.tagged("action-hash", bound)

    return change


CHANGES: dict[str, tuple[Callable[[Json], None], str]] = {
    "a decision on another hash": (
        lambda document: decision(document).update(hash=OTHER),
        "The hash decided on",
    ),
    "a yes before the question": (
        lambda document: decision(document).update(at=LONG_AGO),
        "A yes was given when the question was not open",
    ),
    "a yes after its end": (
        lambda document: decision(document).update(at=FAR_AHEAD),
        "A yes was given when the question was not open",
    ),
    "a yes taken back": (
        lambda document: decision(document).update(taken_back={"reason": "r", "at": LONG_AGO}),
        "Fewer people said yes",
    ),
    "a second look at another hash": (
        lambda document: asked(document)["second_look"].update(hash=OTHER),
        "The hash a model looked at",
    ),
    "a second look with more remarks than it made": (
        lambda document: asked(document)["second_look"].update(count=2),
        "How much a model remarked",
    ),
    "more people needed": (
        lambda document: asked(document)["requirement"].update(approvers=2),
        "Fewer people said yes",
    ),
    "a yes of who started the run": (
        lambda document: document["run"].update(started_by=decision(document)["person"]["id"]),
        "Who started the run",
    ),
    "an approval used before it was given": (
        lambda document: asked(document)["approval"].update(used_at=LONG_AGO),
        "used before it was given",
    ),
    "an approval used by another attempt": (
        lambda document: asked(document)["approval"].update(used_by=OTHER_ID),
        "The first attempt under this approval",
    ),
    "no approval at all": (
        lambda document: asked(document).update(approval=None),
        "No approval is shown for this attempt",
    ),
    "sent before it was allowed": (
        lambda document: attempt(document).update(dispatched_at=LONG_AGO),
        "sent before its approval was given",
    ),
    "sent too late": (
        lambda document: attempt(document).update(dispatched_at=FAR_AHEAD),
        "sent after its approval had expired",
    ),
    "sent under another hash": (
        lambda document: attempt(document).update(hash=OTHER),
        "The hash sent under",
    ),
    "other bytes on the wire": (
        lambda document: attempt(document)["receipts"][0].update(wire=OTHER),
        "Digest of what left",
    ),
    "happened without a receipt": (
        lambda document: attempt(document).update(receipts=[]),
        "It is said to have happened, and no receipt is shown",
    ),
    "an interruption left out of the numbers": (
        lambda document: document["recoveries"].pop(0),
        "whose interruption the history tells of",
    ),
    "a recovery that took no time": (
        lambda document: document["recoveries"][1].update(new_boundary_at=AT),
        "The three numbers, counted anew",
    ),
    "a recovery over before it began": (
        lambda document: document["recoveries"][1].update(new_boundary_at=LONG_AGO),
        "not in order",
    ),
    "recovered without a boundary": (
        lambda document: document["recoveries"][1].update(new_boundary_at=None),
        "one that has a new boundary",
    ),
    "two recoveries at once": (
        lambda document: document["recoveries"][0].update(ended="", ended_at=None),
        "a later one began",
    ),
    "a duplicate that is not counted": (
        lambda document: document["cases"][0].update(kind="duplicate_effect"),
        "The three numbers, counted anew",
    ),
    "another parent": (_another_parent, "The header's parent"),
    "another header": (
        lambda document: document["checkpoints"][-1].update(digest=OTHER),
        "Digest of the header",
    ),
    "a checkpoint left out at the end": (
        lambda document: document["checkpoints"].pop(),
        "Checkpoints of the run",
    ),
    "a diff other than the bound one": (
        _bound_to("diff_digest", OTHER),
        "Digest of the diff",
    ),
    **{
        f"bound to another {name}": (_bound_to(name, value), f"The bound field {name}")
        for name, value in {
            "tenant": 999,
            "run_id": OTHER_ID,
            "action_id": OTHER_ID,
            "tool": "other",
            "tool_schema_digest": OTHER,
            "acting_credential": "other",
            "parameters_digest": OTHER,
            "expires_at": FAR_AHEAD,
        }.items()
    },
}


@pytest.mark.parametrize("what", CHANGES)
def test_each_rule_is_found_broken_by_its_own_check(evidence: Json, what: str) -> None:
    change, sentence = CHANGES[what]
    forged = copy.deepcopy(evidence)
    change(forged)
    assert sentence in " ".join(fault.sentence for fault in verified(signed(forged)).faults)


def test_nothing_else_is_wrong_with_a_file_signed_anew(evidence: Json) -> None:
    assert verified(signed(copy.deepcopy(evidence))).faults == []


def test_a_history_that_is_cut_is_said_and_not_held_against_the_numbers(evidence: Json) -> None:
    cut = copy.deepcopy(evidence)
    some = next(each for each in cut["events"] if each["what"] != "interrupted")
    cut["events"] = [some] * MOST_EVENTS
    found = verified(signed(cut))
    assert found.faults == []
    assert "Only the first 10,000 events" in " ".join(found.open)
