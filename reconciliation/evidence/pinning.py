"""Which combo a run was pinned to when, by a document of evidence. Pure; as `checkpoints.pins` does."""

from typing import Any

from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

Json = Any


def started_on(run: dict[str, Json]) -> str:
    """Digest of the combo that a run was started on: its genesis is bound to it."""
    moved = run.get("moved", [])
    return str(moved[0]["from"] if moved else run["combo"])


def at(run: dict[str, Json], seq: int) -> str:
    """Digest of the combo that checkpoint `seq` is of."""
    pinned = started_on(run)
    for move in run.get("moved", []):
        if move["seq"] >= seq:
            break
        pinned = str(move["to"])
    return pinned


def around(run: dict[str, Json], head: int) -> set[str]:
    """The combos it may have had while it stood at a head: it may have moved there."""
    here = {move["to"] for move in run.get("moved", []) if move["seq"] == head}
    return {at(run, head or 1), at(run, head + 1)} | here


def check(document: Document, findings: Findings) -> None:
    """Each move begins where the one before it led, and the last one led to where the run is."""
    run = document["run"]
    moved = run.get("moved", [])
    pinned, seq = started_on(run), 0
    for number, move in enumerate(moved):
        here = f"/run/moved/{number}"
        findings.equal(f"{here}/from", move["from"], pinned, what="The combo it moved from")
        if not seq <= move["seq"] <= run["head"]:
            findings.wrong(f"{here}/seq", "It moved at a checkpoint that there was not yet.")
        pinned, seq = move["to"], move["seq"]
        findings.proven.append(
            f"{move['by']} ordered that it moves from combo {move['from'][:12]} to"
            f" {move['to'][:12]}; it did at checkpoint {move['seq']}."
        )
    if moved:
        findings.equal("/run/combo", run["combo"], pinned, what="The combo that it is pinned to")
