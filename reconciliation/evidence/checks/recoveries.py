"""Recoveries that fit one another and the history, and the three numbers counted anew. Pure."""

from typing import Any, Final

from reconciliation.evidence import numbers
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import LACKING, MOST_EVENTS, Document

Json = Any

# A worker that died or fell silent, and one from which a person took the run.
INTERRUPTIONS: Final = ("interrupted", "revoked")


def check(document: Document, findings: Findings) -> None:
    """Judge each recovery, then count the three numbers from what the file itself tells."""
    if "recoveries" in LACKING.get(document["format"], ()):
        findings.open.append("This file is of a form that has no recoveries and no three numbers.")
        return
    for number, recovery in enumerate(document["recoveries"]):
        _in_order(f"/recoveries/{number}", recovery, findings)
    _one_after_the_other(document["recoveries"], findings)
    _in_the_history(document, findings)
    _counted(document, findings)


def _in_order(here: str, recovery: dict[str, Json], findings: Findings) -> None:
    times = [recovery[name] for name in ("noticed_at", "taken_over_at", "new_boundary_at")]
    known = [each for each in times if each]
    if known != sorted(known) or (recovery["ended_at"] or known[-1]) < known[-1]:
        findings.wrong(here, "Its moments are not in order.")
    if bool(recovery["ended"]) != bool(recovery["ended_at"]):
        findings.wrong(f"{here}/ended", "It says how it ended or when, and not both.")
    if (recovery["ended"] == numbers.RECOVERED) != bool(recovery["new_boundary_at"]):
        findings.wrong(f"{here}/new_boundary_at", "Recovered is one that has a new boundary.")


def _one_after_the_other(recoveries: list[dict[str, Json]], findings: Findings) -> None:
    fences = [each["fence"] for each in recoveries]
    if fences != sorted(set(fences)):
        findings.wrong("/recoveries", "They are not in order, each of another lease.")
    for number, recovery in enumerate(recoveries[:-1]):
        if not recovery["ended"]:
            findings.wrong(f"/recoveries/{number}/ended", "Under way, and a later one began.")


def _in_the_history(document: Document, findings: Findings) -> None:
    """Each interruption is an event too, so none can be left out of the numbers alone."""
    if document["about"]["kind"] != "run":
        return
    if len(document["events"]) >= MOST_EVENTS:
        findings.open.append(f"Only the first {MOST_EVENTS:,} events of the history are shown.")
        return
    events = [each for each in document["events"] if each["what"] in INTERRUPTIONS]
    findings.equal(
        "/recoveries",
        [each["fence"] for each in document["recoveries"]],
        [each["detail"].get("fence") for each in events],
        what="The leases whose interruption the history tells of",
    )


def _counted(document: Document, findings: Findings) -> None:
    told, found = document["numbers"], numbers.of(document)
    if not findings.equal("/numbers", told, found, what="The three numbers, counted anew"):
        return
    if told is None:
        return
    begun, duplicates = told["recoveries"], told["duplicates"]
    findings.proven.append(
        f"Of {begun['begun']} recoveries begun {begun['recovered']} committed a new boundary without"
        f" a person; {begun['by_person']} were ended by a person, {begun['under_way']} are under way."
    )
    findings.proven.append(
        f"Duplicates: {duplicates['arrived']} arrived, {duplicates['stopped']} stopped; checked"
        f" {duplicates['checked']} of {duplicates['happened']} effects."
    )
