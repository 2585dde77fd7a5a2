"""Evidence needs only the file and a key, and any change of any member of the format is found."""

import base64
import json
from typing import Any

import pytest

from reconciliation.evidence.members import FORMAT, LACKING
from reconciliation.evidence.verifying import verify
from tenants.signing import Believed, SigningKey
from tests.reconciliation.evidence.samples import (
    BELIEVED,
    changed,
    dropped,
    format_members,
    general,
    leaves,
    of_old,
    signed,
    verified,
)

Json = Any
pytestmark = pytest.mark.django_db  # only so that there is a database to make the evidence in

ELSEWHERE = ("/forked", "/edits", "/moved")
# Null in the sample, or held by members that stand here themselves.
OPTIONAL = {
    "/actions/*/requests/*/decisions/*/taken_back/at",
    "/actions/*/requests/*/decisions/*/taken_back/reason",
    # Of a fork, of a run that moved, and of a state written by hand: each has tests of its own.
    *(each for each in format_members() if any(it in each for it in ELSEWHERE)),
}


def test_what_was_exported_holds(evidence: Json) -> None:
    found = verified(evidence)
    assert found.faults == []
    told = " ".join(found.proven)
    for words in ("bound fields", "diff shown", "said approve", "was sent at", "happened", "chain"):
        assert words in told


def test_the_sample_has_every_member_of_the_format(evidence: Json) -> None:
    """So that no member can be added without being changed and dropped below."""
    have = {general(pointer) for pointer in leaves(evidence)}
    assert format_members() - have <= OPTIONAL


@pytest.mark.parametrize("member", sorted(format_members() - OPTIONAL))
def test_a_changed_member_is_found_and_named(evidence: Json, member: str) -> None:
    for pointer in _places(evidence, member):
        found = verified(changed(evidence, pointer))
        assert _named(found.faults, pointer), (pointer, found.faults)


@pytest.mark.parametrize("member", sorted(format_members() - OPTIONAL))
def test_a_dropped_member_is_found_and_named(evidence: Json, member: str) -> None:
    for pointer in _places(evidence, member):
        found = verified(dropped(evidence, pointer))
        holder = pointer.rpartition("/")[0]
        assert _named(found.faults, pointer) or _named(found.faults, holder), (
            pointer,
            found.faults,
        )


def test_each_payload_is_found_when_changed_or_dropped(evidence: Json) -> None:
    for digest in evidence["contents"]:
        for forged in (
            changed(evidence, f"/contents/{digest}"),
            dropped(evidence, f"/contents/{digest}"),
        ):
            assert any(digest in fault.member for fault in verified(forged).faults)


def test_a_payload_nobody_names_is_found(evidence: Json) -> None:
    forged = evidence | {"contents": evidence["contents"] | {"0" * 64: ""}}
    assert verified(forged).faults[0].member == "/contents/" + "0" * 64


def test_a_copy_without_payloads_holds_under_the_same_signature(evidence: Json) -> None:
    """And says that only digests are proven."""
    copy = evidence | {"contents": dict.fromkeys(evidence["contents"])}
    found = verified(copy)
    assert found.faults == []
    assert "were left out of this copy" in " ".join(found.open)
    assert "the diff shown" not in " ".join(found.proven).lower()


# What the checks find by themselves: the installation's own key has signed all of it.
RECOMPUTED = (
    "/run/input",
    "/run/combo",
    "/checkpoints/0/header",
    "/checkpoints/2/header",
    "/checkpoints/3/digest",
    "/checkpoints/4/seq",
    "/actions/0/tool",
    "/actions/0/tool_schema_digest",
    "/actions/0/acting_credential",
    "/actions/0/parameters",
    "/recoveries/0/fence",
    "/recoveries/0/ended",
    "/recoveries/1/new_boundary_at",
    "/recoveries/1/ended",
    "/numbers/recoveries/recovered",
    "/numbers/duration/p95",
    "/numbers/duplicates/checked",
    "/numbers/duplicates/arrived",
    "/forks/0/checkpoint",
    "/plans/0/digest",
    "/plans/0/id",
    "/plans/0/orders/0/digest",
    "/plans/0/orders/0/person/id",
    "/actions/0/requests/0/hash",
    "/actions/0/requests/0/bound",
    "/actions/0/requests/0/diff",
    "/actions/0/requests/0/parameters",
    "/actions/0/requests/0/expires_at",
    "/actions/0/requests/0/opened/0/digest",
    "/actions/0/requests/0/opened/0/to",
    "/actions/0/requests/0/decisions/0/hash",
    "/actions/0/requests/0/decisions/0/verdict",
    "/actions/0/requests/0/decisions/0/person/id",
    "/actions/0/requests/0/decisions",
    "/actions/0/requests/0/approval/used_by",
    "/actions/0/attempts/0/number",
    "/actions/0/attempts/0/id",
    "/actions/0/attempts/0/hash",
    "/actions/0/attempts/0/request",
    "/actions/0/attempts/0/receipts/0/content",
    "/actions/0/attempts/0/receipts/0/wire",
    "/actions/0/attempts/0/receipts",
    "/tenant/id",
    "/made/installation",
    "/trail/0/after/digest",
    "/trail/0/after/position",
    "/trail/0/links/0/position",
    "/trail/0/links/1/digest",
    "/trail/0/links/2/content",
    "/trail/0/links/3/row/verb",
    "/trail/0/links/3/row/actor",
    "/trail/0/links/3/row/at",
    "/trail/0/links/3/row/subject",
    "/trail/0/head/position",
    "/trail/0/head/digest",
    "/trail/0/head/at",
    "/trail/0/head/signature",
    "/trail/0/head/key",
)


def test_an_audit_row_that_says_otherwise_is_found_even_when_the_file_is_signed_anew(
    evidence: Json,
) -> None:
    links = evidence["trail"][0]["links"]
    told = [n for n, link in enumerate(links) if link["row"]["verb"] in ("approve", "intends")]
    assert len(told) == 2
    for number in told:
        here = f"/trail/0/links/{number}"
        forged = changed(evidence, f"{here}/row/detail/hash")
        assert _named(verified(signed(forged)).faults, here)
        assert verified(signed(dropped(evidence, f"{here}/row"))).faults


@pytest.mark.parametrize("pointer", RECOMPUTED)
def test_what_can_be_recomputed_is_found_even_when_the_file_is_signed_anew(
    evidence: Json, pointer: str
) -> None:
    found = verified(signed(changed(evidence, pointer)))
    assert found.faults, pointer
    assert not any(
        "is not what was signed." in f.sentence and "/trail" not in f.member for f in found.faults
    )


@pytest.mark.parametrize("pointer", ["/trail/0", "/trail/0/links/1"])
def test_an_effect_without_its_audit_row_is_found(evidence: Json, pointer: str) -> None:
    assert verified(signed(dropped(evidence, pointer))).faults


@pytest.mark.parametrize("number", range(5))
def test_a_checkpoint_left_out_is_found(evidence: Json, number: int) -> None:
    assert verified(signed(dropped(evidence, f"/checkpoints/{number}"))).faults


def test_a_key_that_was_not_named_is_not_believed(evidence: Json) -> None:
    other = SigningKey.of(base64.b64encode(b"o" * 32).decode())
    found = verified(evidence, Believed.of([other.public]))
    assert "have not named as believed" in found.faults[0].sentence
    assert found.proven == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"a": 1, "a": 1}',
        '{"format": "kedge-evidence/2"}',
        '{"format": "kedge-evidence/3"}',
        "[" * 5000,
        "\ud800",
    ],
)
def test_what_is_no_evidence_is_a_fault_and_no_error(text: str) -> None:
    found = verify(text.encode("utf-8", "surrogatepass"), BELIEVED)
    assert found.faults
    assert found.proven == []


@pytest.mark.parametrize("form", sorted(LACKING))
def test_a_file_of_a_version_before_still_holds_and_says_what_it_lacks(
    evidence: Json, form: str
) -> None:
    found = verified(of_old(evidence, form))
    assert found.faults == []
    said = " ".join(found.open)
    assert "tells of no plans, and of no forks" in said
    assert ("no recoveries and no three numbers" in said) is ("numbers" in LACKING[form])


@pytest.mark.parametrize("form", sorted(LACKING))
def test_a_file_is_of_one_version_and_not_a_bit_of_both(evidence: Json, form: str) -> None:
    apart = {f"/{name}" for name in LACKING[form]}
    older = signed(evidence | {"format": form})
    assert {fault.member for fault in verified(older).faults} == apart
    newer = signed(of_old(evidence, form) | {"format": FORMAT})
    assert {fault.member for fault in verified(newer).faults} == apart


def test_two_members_of_one_name_are_found(evidence: Json) -> None:
    text = json.dumps(evidence)
    twice = text[:-1] + ', "tenant": ' + json.dumps(evidence["tenant"]) + "}"
    assert "stands twice" in verify(twice.encode(), BELIEVED).faults[0].sentence


def _places(evidence: Json, member: str) -> list[str]:
    """Two places of the member, the first and the last, are enough of a long list."""
    found = [pointer for pointer in leaves(evidence) if general(pointer) == member]
    return [found[0], found[-1]] if len(found) > 1 else found


def _named(faults: list[Any], pointer: str) -> bool:
    """The fault names the member, what holds it, or a part of it: three levels are signed apart."""
    return any(
        fault.member and (pointer.startswith(fault.member) or fault.member.startswith(pointer))
        for fault in faults
    )
