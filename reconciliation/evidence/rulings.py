"""Verdicts as evidence: who gave each, who agreed, where it was seen, and whether it was taken back."""

from typing import Any

from checkpoints.models import Case, Verdict
from reconciliation.evidence import acts
from tenants.trail.rows import instant

Json = Any


def of_case(case: Case) -> list[dict[str, Json]]:
    """Every verdict of a case, in the order in which they were given."""
    given = case.verdicts.select_related("given_by", "agreed_by", "superseded__superseded_by")
    return [_verdict(each) for each in given.order_by("given_at")]


def _verdict(given: Verdict) -> dict[str, Json]:
    told: dict[str, Json] = {
        "person": acts.person(given.given_by),
        "verdict": given.verdict,
        "reason": given.reason,
        "evidence": given.evidence,
        "at": instant(given.given_at),
    }
    if given.detail:
        told["detail"] = given.detail
    if given.agreed_by is not None:
        told["agreed_by"] = acts.person(given.agreed_by)
    taken_back = getattr(given, "superseded", None)
    if taken_back is not None:
        told["taken_back"] = {
            "person": acts.person(taken_back.superseded_by),
            "reason": taken_back.reason,
            "at": instant(taken_back.at),
        }
    return told
