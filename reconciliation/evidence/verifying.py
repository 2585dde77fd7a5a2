"""Verifies evidence with nothing but the file and a public key: no database, no network. Pure."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from reconciliation.evidence.checks import (
    edits,
    payloads,
    people,
    permission,
    record,
    recoveries,
    trail,
    world,
)
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document, changed_members, signature_trouble
from tenants.signing import Believed, PublicKey

SCHEMA: Final = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "evidence.schema.json"
NOT_PROVEN: Final = (
    "Not proven by any file: that the world still is as it was left, and that clocks were right."
)

Json = Any


def verify(content: bytes, believed: Believed) -> Findings:
    """Recompute everything a piece of evidence says; never raises for what the file holds."""
    findings = Findings()
    try:
        document = json.loads(content, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        findings.wrong("", f"This is not a JSON document: {error}")
        return findings
    if not _is_shaped(document, findings):
        return findings
    _signature(document, believed, findings)
    authentic = findings.holds
    for each in (payloads, record, permission, edits, world, recoveries, people):
        _try(each.check, document, findings)
    _try(lambda whole, found: trail.check(whole, believed, found), document, findings)
    if not authentic:
        findings.proven.clear()  # of a file that was changed nothing is proven
    findings.open.append(NOT_PROVEN)
    return findings


def _try(
    check: Callable[[Document, Findings], None], document: Document, findings: Findings
) -> None:
    try:
        check(document, findings)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        findings.wrong("", f"It makes no sense: {type(error).__name__}: {error}")


def _is_shaped(document: Json, findings: Findings) -> bool:
    for error in _validator().iter_errors(document):
        here = "".join(f"/{step}" for step in error.absolute_path)
        missing = (
            set(error.schema["required"]) - set(error.instance)
            if error.validator == "required"
            else ()
        )
        for name in sorted(missing):
            findings.wrong(f"{here}/{name}", "This is missing.")
        if not missing:
            findings.wrong(here, error.message[:300])
    return findings.holds


def _signature(document: Document, believed: Believed, findings: Findings) -> None:
    trouble = signature_trouble(document, believed)
    if trouble:
        findings.wrong("/signature", f"The file {trouble}.")
    for pointer, what in changed_members(document):
        findings.wrong(pointer, f"This {what}.")
    key = document["signature"]["key"]
    findings.equal(
        "/made/public_key",
        PublicKey.of(document["made"]["public_key"]).id,
        key,
        what="The id of the public key",
    )
    if findings.holds:
        members = len(document["signature"]["members"])
        findings.proven.append(f"All {members} members are what the key {key} signed.")


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _without_twins(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
