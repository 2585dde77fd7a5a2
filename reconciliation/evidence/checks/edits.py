"""States written by hand: each such checkpoint is one that a second person allowed. Pure."""

from collections.abc import Iterator
from typing import Any, Final

from approvals import states
from approvals.edits import hashing
from canonical import digests
from canonical import json as canonical
from checkpoints.headers import parent_seq, written
from reconciliation.evidence import pinning
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

Json = Any

BY_HAND: Final = ("(state edited)", "(migrated by hand)")


def check(document: Document, findings: Findings) -> None:
    """Recompute each edit's hash, judge its yes, and hold it against the checkpoint it became."""
    edits = {}
    for here, edit in _edits(document):
        bound = canonical.loads_object(edit["bound"])
        edits[edit["hash"]] = (here, edit, bound)
        _hash(here, edit, bound, findings)
        _bound(here, document, edit, bound, findings)
        _decided(here, edit, document["run"], findings)
    became: set[str] = set()
    for number, checkpoint in enumerate(document["checkpoints"]):
        header = canonical.loads_object(checkpoint["header"])
        if header["node"] in BY_HAND or "edit" in header:
            became |= _became(f"/checkpoints/{number}", document, header, edits, findings)
    for found, (here, edit, _bound_fields) in edits.items():
        if edit["stands"] == states.USED and found not in became and _is_whole(document):
            findings.wrong(here, "It is used, and no checkpoint shown is the one it became.")


def _edits(document: Document) -> Iterator[tuple[str, dict[str, Json]]]:
    for number, case in enumerate(document["cases"]):
        for n, edit in enumerate(case.get("edits", [])):
            yield f"/cases/{number}/edits/{n}", edit


def _hash(here: str, edit: dict[str, Json], bound: dict[str, Json], findings: Findings) -> None:
    found = digests.tagged(hashing.TAG, bound)
    if findings.equal(f"{here}/hash", edit["hash"], found, what="The edit hash of its inputs"):
        findings.proven.append(
            f"The edit hash {found[:8]} is that of its {len(bound)} bound fields."
        )


def _bound(
    here: str,
    document: Document,
    edit: dict[str, Json],
    bound: dict[str, Json],
    findings: Findings,
) -> None:
    """What is bound is what is shown elsewhere in the file."""
    expected = {
        "tenant": document["tenant"]["id"],
        "run_id": document["run"]["id"],
        "combo": _combo(document["run"], bound),
        "author": edit["author"]["id"],
        "state": edit["state"],
        "diff_digest": edit["diff"],
        "expires_at": edit["expires_at"],
    }
    for name, value in expected.items():
        findings.equal(f"{here}/bound", bound.get(name), value, what=f"The bound field {name}")


def _combo(run: dict[str, Json], bound: dict[str, Json]) -> Json:
    """The combo that the run had as it was written: there may be two, of a run that moved there."""
    possible = pinning.around(run, int(bound["head_seq"]))
    named = bound.get("combo")
    return named if named in possible else run["combo"]


def _decided(here: str, edit: dict[str, Json], run: dict[str, Json], findings: Findings) -> None:
    given = edit["decision"]
    if given is None:
        if edit["stands"] in (states.APPROVED, states.USED):
            findings.wrong(f"{here}/decision", "It counts as allowed and nobody decided it.")
        return
    findings.equal(f"{here}/decision/hash", given["hash"], edit["hash"], what="The hash decided on")
    if given["person"]["id"] in (edit["author"]["id"], run["started_by"]):
        findings.wrong(f"{here}/decision", "Its author or who started the run decided it.")
    if not edit["asked_at"] <= given["at"] < edit["expires_at"]:
        findings.wrong(f"{here}/decision", "It was decided when it was not open.")
    said = given["verdict"].replace("_", " ")
    findings.proven.append(
        f"{given['person']['name']} said {said} to the state {edit['hash'][:8]} that"
        f" {edit['author']['name']} wrote."
    )


def _became(
    here: str,
    document: Document,
    header: dict[str, Json],
    edits: dict[str, tuple[str, dict[str, Json], dict[str, Json]]],
    findings: Findings,
) -> set[str]:
    """Which edit a checkpoint written by hand is; none when the file does not show it."""
    found = next((each for each in edits if written(each) == header.get("edit")), None)
    if found is None:
        if _is_whole(document):
            findings.wrong(f"{here}/header", "Its state was written by hand, by no edit shown.")
        return set()
    at, edit, bound = edits[found]
    said = edit["decision"]["verdict"] if edit["decision"] else ""
    pairs = {
        "state": (header["state"], written(bound["state"])),
        "schema": (header["schema"], bound["schema"]),
        "next node": (header["next"], bound["next_node"]),
        "parent": (header["parent"], written(bound["parent_digest"])),
        "parent's number": (parent_seq(header), bound["parent_seq"]),
        "number": (header["seq"], edit["checkpoint"]),
        "yes": (said, states.APPROVE),
    }
    same = [
        findings.equal(f"{here}/header", shown, allowed, what=f"The {name} that was allowed")
        for name, (shown, allowed) in pairs.items()
    ]
    findings.equal(f"{at}/stands", edit["stands"], states.USED, what="What became of the edit")
    if all(same):
        findings.proven.append(
            f"Checkpoint {header['seq']} is the state {found[:8]} that"
            f" {edit['author']['name']} wrote and {edit['decision']['person']['name']} allowed."
        )
    return {found}


def _is_whole(document: Document) -> bool:
    return bool(document["about"]["kind"] == "run")
