"""The run's record: headers that hash to their digests and follow on one another. Pure."""

from typing import Any
from uuid import UUID

from canonical import digests
from canonical import json as canonical
from checkpoints.headers import genesis, parent_seq, written
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

Json = Any


def check(document: Document, findings: Findings) -> None:
    """Recompute every header digest and parent link, and what headers say of actions."""
    run = document["run"]
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
        findings.equal(
            f"{here}/header", header["combo"], written(run["combo"]), what="The header's combo"
        )
        parent = known.get(parent_seq(header))
        if parent is not None:
            findings.equal(
                f"{here}/header", header["parent"], written(parent), what="The header's parent"
            )
        known[header["seq"]] = checkpoint["digest"]
        headers.append((here, header))
    _marks(document, headers, findings)
    _say(document, findings)


def _start(document: Document) -> str:
    run = document["run"]
    return genesis(document["tenant"]["id"], UUID(run["id"]), run["combo"], run["input"])


def _marks(
    document: Document, headers: list[tuple[str, dict[str, Json]]], findings: Findings
) -> None:
    actions = {action["id"]: action for action in document["actions"]}
    marked = set()
    for here, header in headers:
        for mark in header.get("actions", []):
            action = actions.get(mark["id"])
            if action is None:
                if document["about"]["kind"] == "run":
                    findings.wrong(f"{here}/header", f"It names action {mark['id']}, not shown.")
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
