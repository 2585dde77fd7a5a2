"""The run's record: headers that hash to their digests and follow on one another. Pure."""

from typing import Any
from uuid import UUID

from canonical import digests
from canonical import json as canonical
from checkpoints.headers import Origin, fork_genesis, genesis, parent_seq, written
from reconciliation.evidence import pinning
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

Json = Any


def check(document: Document, findings: Findings) -> None:
    """Recompute every header digest and parent link, and what headers say of actions."""
    run = document["run"]
    pinning.check(document, findings)
    known = {0: _start(document)}
    headers: list[tuple[str, dict[str, Json]]] = []
    for number, checkpoint in enumerate(document["checkpoints"]):
        here = f"/checkpoints/{number}"
        header = canonical.loads_object(checkpoint["header"])
        found = digests.sha256_hex(checkpoint["header"].encode())
        findings.equal(f"{here}/digest", checkpoint["digest"], found, what="Digest of the header")
        findings.equal(f"{here}/seq", checkpoint["seq"], header["seq"], what="Checkpoint number")
        for name, value in (("tenant", document["tenant"]["id"]), ("run", run["id"])):
            findings.equal(f"{here}/header", header[name], value, what=f"The header's {name}")
        pinned = written(pinning.at(run, header["seq"]))
        findings.equal(f"{here}/header", header["combo"], pinned, what="The header's combo")
        parent = known.get(parent_seq(header))
        if parent is not None:
            findings.equal(
                f"{here}/header", header["parent"], written(parent), what="The header's parent"
            )
        _begins(document, here, header, findings)
        known[header["seq"]] = checkpoint["digest"]
        headers.append((here, header))
    _marks(document, headers, findings)
    _say(document, findings)


def _start(document: Document) -> str:
    run = document["run"]
    combo = pinning.started_on(run)
    started = genesis(document["tenant"]["id"], UUID(run["id"]), combo, run["input"])
    origin = _origin(document)
    return fork_genesis(started, origin) if origin else started


def _origin(document: Document) -> Origin | None:
    forked = document["run"].get("forked")
    return forked and Origin(UUID(forked["run"]), forked["seq"], forked["checkpoint"])


def _begins(document: Document, here: str, header: dict[str, Json], findings: Findings) -> None:
    """Only the first checkpoint of a fork names another run, and just the one it was taken from."""
    origin = _origin(document) if header["seq"] == 1 else None
    expected = origin.as_json() if origin else None
    findings.equal(f"{here}/header", header.get("forked"), expected, what="The header's origin")
    if origin and header.get("forked") == expected:
        findings.proven.append(
            f"The run began from checkpoint {origin.seq} of run {origin.run_id}, by its digest."
        )


def _marks(
    document: Document, headers: list[tuple[str, dict[str, Json]]], findings: Findings
) -> None:
    actions = {action["id"]: action for action in document["actions"]}
    marked = set()
    for here, header in headers:
        for mark in header.get("actions", []):
            action = actions.get(mark["id"])
            if action is None:
                _elsewhere(document, here, header["seq"], mark, findings)
                continue
            marked.add((action["id"], mark["is"].split(":")[0]))
            _mark(here, mark, action, findings)
    for number, action in enumerate(document["actions"]):
        settled = action["outcome"] and (action["id"], action["outcome"]) in marked
        if action["absorbed_seq"] is not None and settled:
            findings.proven.append(
                f"The run committed action {action['id']} as {action['outcome'].replace('_', ' ')}"
                f" at checkpoint {action['absorbed_seq']}."
            )
        elif action["absorbed_seq"] is not None:
            findings.open.append(
                f"No header shown says that action {action['id']} (/actions/{number}) was absorbed"
                f" as {action['outcome']!r}."
            )


def _elsewhere(
    document: Document, here: str, seq: int, mark: dict[str, Json], findings: Findings
) -> None:
    """An action that this file does not show: another run's that was taken over, or left out."""
    if mark["is"].startswith("reused:"):
        findings.open.append(
            f"At checkpoint {seq} the run took over action {mark['id']}, which another run of its"
            " lineage asked for: see that run's evidence."
        )
    elif mark["is"].startswith("borrowed:"):
        findings.open.append(
            f"At checkpoint {seq} this shadow went on with what became of action {mark['id']} of"
            " its live run: see that run's evidence."
        )
    elif document["about"]["kind"] == "run":
        findings.wrong(f"{here}/header", f"It names action {mark['id']}, not shown.")


def _mark(here: str, mark: dict[str, Json], action: dict[str, Json], findings: Findings) -> None:
    findings.equal(
        f"{here}/header",
        mark["parameters"],
        written(action["parameters"]),
        what=f"Parameters of action {action['id']}",
    )
    receipts = {
        written(receipt["content"])
        for attempt in action["attempts"]
        for receipt in attempt["receipts"]
    }
    if "receipt" in mark and mark["receipt"] not in receipts:
        findings.wrong(f"{here}/header", f"It absorbed a receipt of {action['id']} not shown here.")


def _say(document: Document, findings: Findings) -> None:
    shown = document["checkpoints"]
    if not shown:
        findings.open.append("No checkpoint is shown: the run had committed nothing of this.")
        return
    first, last = shown[0]["seq"], shown[-1]["seq"]
    findings.proven.append(f"{len(shown)} headers (checkpoints {first} to {last}) are unbroken.")
    if document["about"]["kind"] == "run":
        findings.equal(
            "/checkpoints",
            [each["seq"] for each in shown],
            list(range(1, document["run"]["head"] + 1)),
            what="Checkpoints of the run",
        )
