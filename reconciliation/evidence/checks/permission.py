"""The permission: hashes from their inputs, what was shown, who said yes, and when. Pure."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

from approvals import hashing, states
from canonical import digests, redaction
from canonical import json as canonical
from reconciliation.evidence.checks.payloads import bytes_of
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

MOST_KEYS: Final = (
    8  # of people in one question, of whom some may have been erased before it was read
)

Json = Any


def check(document: Document, findings: Findings) -> None:
    """Recompute each question's hash, and judge each approval against the decisions shown."""
    for number, action in enumerate(document["actions"]):
        for n, asked in enumerate(action["requests"]):
            here = f"/actions/{number}/requests/{n}"
            bound = canonical.loads_object(asked["bound"])
            _hash(here, asked, bound, findings)
            _bound(here, document, action, asked, bound=bound, findings=findings)
            _diff(here, document, asked, bound, findings=findings)
            _opened(here, document, asked, findings)
            _looked(here, document, asked, findings)
            _decided(here, asked, document["run"], findings)


def _hash(here: str, asked: dict[str, Json], bound: dict[str, Json], findings: Findings) -> None:
    found = digests.tagged(hashing.TAG, bound)
    if findings.equal(f"{here}/hash", asked["hash"], found, what="The action hash of its inputs"):
        findings.proven.append(
            f"The action hash {found[:8]} is that of its {len(bound)} bound fields."
        )


def _bound(
    here: str,
    document: Document,
    action: dict[str, Json],
    asked: dict[str, Json],
    *,
    bound: dict[str, Json],
    findings: Findings,
) -> None:
    """What is bound is what is shown elsewhere in the file."""
    expected = {
        "tenant": document["tenant"]["id"],
        "run_id": document["run"]["id"],
        "action_id": action["id"],
        "tool": action["tool"],
        "tool_schema_digest": action["tool_schema_digest"],
        "acting_credential": action["acting_credential"],
        "parameters_digest": asked["parameters"],
        "expires_at": asked["expires_at"],
    }
    for name, value in expected.items():
        findings.equal(f"{here}/bound", bound.get(name), value, what=f"The bound field {name}")
    findings.equal(
        f"{here}/parameters", asked["parameters"], action["parameters"], what="Parameters shown"
    )


def _diff(
    here: str,
    document: Document,
    asked: dict[str, Json],
    bound: dict[str, Json],
    *,
    findings: Findings,
) -> None:
    diff = bytes_of(document, asked["diff"])
    if diff is None:
        if not bound["volatile"]:
            findings.equal(f"{here}/diff", asked["diff"], bound["diff_digest"], what="The diff")
        return
    try:
        found = hashing.diff_digest(diff, asked["media"], tuple(bound["volatile"]))
    except ValueError as error:
        findings.wrong(f"{here}/diff", f"The diff cannot be read: {error}.")
        return
    if findings.equal(f"{here}/diff", bound["diff_digest"], found, what="Digest of the diff"):
        findings.proven.append(f"The diff shown with hash {asked['hash'][:8]} is in this file.")


def _opened(here: str, document: Document, asked: dict[str, Json], findings: Findings) -> None:
    for number, part in enumerate(asked["opened"]):
        of = asked["parameters"] if part["part"].startswith("parameters/") else asked["diff"]
        content = bytes_of(document, of)
        if content is not None:
            found = [
                digests.sha256_hex(seen[part["from"] : part["to"]]) for seen in _as_seen(content)
            ]
            findings.equal(
                f"{here}/opened/{number}",
                part["digest"],
                part["digest"] if part["digest"] in found else found[0],
                what=f"The part {part['part']} that {part['person']['name']} opened",
            )


def _as_seen(content: bytes) -> Iterator[bytes]:
    """Stored bytes as pages showed them: marks for what is encrypted, of some people erased."""
    yield redaction.view_bytes(content).content
    if redaction.ENVELOPE in content:
        keys = sorted({inner["key"] for _, inner in redaction.envelopes(canonical.loads(content))})
        for many in range(1, len(keys[:MOST_KEYS]) + 1):
            for erased in combinations(keys[:MOST_KEYS], many):
                yield redaction.view_bytes(content, erased=frozenset(erased)).content


def _looked(here: str, document: Document, asked: dict[str, Json], findings: Findings) -> None:
    """A second look is about the hash it names. Nothing below goes by what it says."""
    look = asked.get("second_look")
    if look is None:
        return
    at = f"{here}/second_look"
    if not findings.equal(
        f"{at}/hash", look["hash"], asked["hash"], what="The hash a model looked at"
    ):
        return
    remarks = bytes_of(document, look["remarks"])
    if remarks is not None:
        said = len(canonical.loads(remarks))  # type: ignore[arg-type]
        findings.equal(f"{at}/count", look["count"], said, what="How much a model remarked")
    findings.proven.append(
        f"{look['model']} looked at {look['hash'][:8]} too, without a vote:"
        f" {look['outcome'].replace('_', ' ')}, {look['count']} remarks."
    )


def _decided(here: str, asked: dict[str, Json], run: dict[str, Json], findings: Findings) -> None:
    for number, decision in enumerate(asked["decisions"]):
        member = f"{here}/decisions/{number}/hash"
        findings.equal(member, decision["hash"], asked["hash"], what="The hash decided on")
        findings.proven.append(
            f"{decision['person']['name']} said {decision['verdict'].replace('_', ' ')} to"
            f" {asked['hash'][:8]} at {decision['at']}"
            + (" and took it back." if decision["taken_back"] else ".")
        )
    if asked["approval"] is not None:
        _enough(here, asked, run, findings)
        _in_time(here, asked, findings)


def _enough(here: str, asked: dict[str, Json], run: dict[str, Json], findings: Findings) -> None:
    people = {each["person"]["id"] for each in _standing(asked)}
    requirement = asked["requirement"]
    if asked["approval"]["rule"]:
        rule = asked["approval"]["rule"]
        findings.open.append(f"{asked['hash'][:8]} passed by the rule {rule}, without a person.")
    elif len(people) < max(1, int(requirement.get("approvers", 1))):
        findings.wrong(f"{here}/decisions", "Fewer people said yes than the approval needs.")
    if requirement.get("not_starter") and run["started_by"] in people:
        findings.wrong(f"{here}/decisions", "Who started the run is among those who said yes.")


def _in_time(here: str, asked: dict[str, Json], findings: Findings) -> None:
    for each in _standing(asked):
        if not asked["asked_at"] <= each["at"] < asked["expires_at"]:
            findings.wrong(f"{here}/decisions", "A yes was given when the question was not open.")
    given, used = asked["approval"]["granted_at"], asked["approval"]["used_at"]
    if used is not None and not given <= used < asked["expires_at"]:
        findings.wrong(f"{here}/approval", "The approval was used before it was given or too late.")


def _standing(asked: dict[str, Json]) -> list[dict[str, Json]]:
    """The yes of each person who did not take it back."""
    return [
        each
        for each in asked["decisions"]
        if each["verdict"] == states.APPROVE and not each["taken_back"]
    ]
