"""What people did beside the effects: claims one after the other, forks from what is shown, plans. Pure."""

from itertools import pairwise
from typing import Any

from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import LACKING, Document

Json = Any

STARTING = ("start", "go_on")


def check(document: Document, findings: Findings) -> None:
    """Judge claims, forks and plans. An older form has not all of them."""
    for number, case in enumerate(document["cases"]):
        _claims(f"/cases/{number}/desk/claims", case, findings)
    lacking = LACKING.get(document["format"], ())
    if "forks" in lacking:
        findings.open.append("This file is of a form that tells of no plans, and of no forks.")
        return
    _forks(document, findings)
    if document["about"]["kind"] == "run":
        for number, plan in enumerate(document["plans"]):
            _orders(f"/plans/{number}", plan, findings)


def _claims(here: str, case: dict[str, Json], findings: Findings) -> None:
    """One person at a time."""
    claims = case.get("desk", {}).get("claims", [])
    for number, (one, following) in enumerate(pairwise(claims)):
        if not one["ended_at"] or one["ended_at"] > following["since"]:
            findings.wrong(f"{here}/{number}", "It stood while somebody else claimed the case.")


def _forks(document: Document, findings: Findings) -> None:
    """Each began from a checkpoint of this run, by its digest."""
    shown = {each["seq"]: each["digest"] for each in document["checkpoints"]}
    for number, fork in enumerate(document["forks"]):
        if fork["seq"]:
            findings.equal(
                f"/forks/{number}/checkpoint",
                fork["checkpoint"],
                shown.get(fork["seq"]),
                what="The checkpoint from which a fork began",
            )
            findings.proven.append(
                f"{fork['by']} forked run {fork['run']} from checkpoint {fork['seq']}."
            )


def _orders(here: str, plan: dict[str, Json], findings: Findings) -> None:
    """What was carried out was started by a person, for the digest that was reviewed."""
    starting = [each for each in plan["orders"] if each["said"] in STARTING]
    for number, order in enumerate(plan["orders"]):
        findings.equal(
            f"{here}/orders/{number}/digest", order["digest"], plan["digest"], what="The digest"
        )
    carried = [each["carried_at"] for each in plan["items"] if each["carried_at"]]
    if carried and min(carried) < min((each["at"] for each in starting), default="~"):
        findings.wrong(f"{here}/items", "It was carried out before anybody had started the plan.")
    elif carried:
        findings.proven.append(
            f"Plan {plan['number']} did something to the run; {starting[0]['person']['name']} had"
            f" started it for the digest {plan['digest'][:8]}."
        )
