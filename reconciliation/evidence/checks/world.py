"""The effect: each intent under its approval, what left, what came back, what became of it. Pure."""

from typing import Any

from reconciliation import states
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

Json = Any


def check(document: Document, findings: Findings) -> None:
    """Judge each attempt against the approval it went under, and the outcome against receipts."""
    for number, action in enumerate(document["actions"]):
        here = f"/actions/{number}"
        requests = {asked["id"]: asked for asked in action["requests"]}
        for n, attempt in enumerate(action["attempts"]):
            findings.equal(
                f"{here}/attempts/{n}/number", attempt["number"], n + 1, what="Attempts in order"
            )
            _permitted(f"{here}/attempts/{n}", attempt, requests.get(attempt["request"]), findings)
            _wire(f"{here}/attempts/{n}", action, attempt, findings)
        _used_once(here, action, findings)
        _outcome(here, action, findings)


def _permitted(
    here: str, attempt: dict[str, Json], asked: dict[str, Json] | None, findings: Findings
) -> None:
    if attempt["request"] is None:
        findings.open.append(
            f"Attempt {attempt['number']} is known from the journal alone: the record had lost it,"
            " and with it under which approval it was sent."
        )
        return
    if asked is None or asked["approval"] is None:
        findings.wrong(f"{here}/request", "No approval is shown for this attempt.")
        return
    same = findings.equal(
        f"{here}/hash", attempt["hash"], asked["hash"], what="The hash sent under"
    )
    if attempt["dispatched_at"] >= asked["expires_at"]:
        findings.wrong(f"{here}/dispatched_at", "It was sent after its approval had expired.")
    elif asked["approval"]["granted_at"] > attempt["dispatched_at"]:
        findings.wrong(f"{here}/dispatched_at", "It was sent before its approval was given.")
    elif same:
        findings.proven.append(
            f"Attempt {attempt['number']} was sent at {attempt['dispatched_at']} under the approved"
            f" hash {attempt['hash'][:8]}."
        )


def _wire(here: str, action: dict[str, Json], attempt: dict[str, Json], findings: Findings) -> None:
    told = False
    for number, receipt in enumerate(attempt["receipts"]):
        if receipt["wire"]:
            told = True
            findings.equal(
                f"{here}/receipts/{number}/wire",
                receipt["wire"],
                action["parameters"],
                what="Digest of what left",
            )
    if told:
        findings.proven.append(
            f"The tool reported for attempt {attempt['number']} the digest of what it sent: it is"
            " that of the approved parameters."
        )
    else:
        findings.open.append(
            f"For attempt {attempt['number']} no tool reported the digest of what left."
        )


def _used_once(here: str, action: dict[str, Json], findings: Findings) -> None:
    firsts: dict[str, str] = {}
    for attempt in action["attempts"]:
        if attempt["request"] is not None:
            firsts.setdefault(attempt["request"], attempt["id"])
    for number, asked in enumerate(action["requests"]):
        if asked["approval"] is not None:
            findings.equal(
                f"{here}/requests/{number}/approval",
                asked["approval"]["used_by"],
                firsts.get(asked["id"]),
                what="The first attempt under this approval",
            )


def _outcome(here: str, action: dict[str, Json], findings: Findings) -> None:
    name, outcome = f"Action {action['id']}", action["outcome"]
    if not outcome or action["stands"] != states.SETTLED:
        findings.open.append(f"{name} is not settled: what became of it is not known here.")
    elif outcome != states.HAPPENED:
        findings.proven.append(f"{name} is recorded as: {outcome.replace('_', ' ')}.")
    elif any(attempt["receipts"] for attempt in action["attempts"]):
        findings.proven.append(f"{name} happened: what the tool answered is in this file.")
    elif action["because"] == states.BY_PERSON:
        findings.open.append(f"{name} happened by the word of a person; no tool said so.")
    else:
        findings.wrong(f"{here}/outcome", "It is said to have happened, and no receipt is shown.")
