"""How people worked on a case, as evidence: claims, notes, waits for somebody outside, proposals."""

from typing import Any

from checkpoints.claims import CASE
from checkpoints.models import Case, Claim
from reconciliation.evidence.acts import person
from tenants.models import User
from tenants.trail.rows import instant, instant_or_none

Json = Any


def of_case(case: Case) -> dict[str, list[dict[str, Json]]]:
    """All of it, each kind in the order in which it was done."""
    return {
        "claims": _claims(case),
        "notes": _notes(case),
        "outside_waits": _outside_waits(case),
        "proposals": _proposals(case),
    }


def _claims(case: Case) -> list[dict[str, Json]]:
    found = Claim.objects.filter(tenant=case.tenant_id, kind=CASE, key=str(case.pk))
    people = found.select_related("holder", "handed_by", "taken_from")
    return [
        {
            "person": person(each.holder),
            "handed_by": _maybe(each.handed_by),
            "taken_from": _maybe(each.taken_from),
            "since": instant(each.since),
            "ended": each.ended,
            "ended_at": instant_or_none(each.ended_at),
        }
        for each in people.order_by("id")
    ]


def _notes(case: Case) -> list[dict[str, Json]]:
    return [
        {"person": person(each.written_by), "text": each.text, "at": instant(each.at)}
        for each in case.notes.select_related("written_by").order_by("id")
    ]


def _outside_waits(case: Case) -> list[dict[str, Json]]:
    return [
        {
            "person": person(each.begun_by),
            "for": each.party,
            "why": each.why,
            "at": instant(each.begun_at),
            "ended_by": _maybe(each.ended_by),
            "ended_at": instant_or_none(each.ended_at),
        }
        for each in case.outside_waits.select_related("begun_by", "ended_by").order_by("id")
    ]


def _proposals(case: Case) -> list[dict[str, Json]]:
    """Verdicts that took a second person, also those nobody agreed on."""
    found = case.proposals.select_related("proposed_by", "ended_by")
    return [
        {
            "person": person(each.proposed_by),
            "verdict": each.verdict,
            "reason": each.reason,
            "evidence": each.evidence,
            "at": instant(each.proposed_at),
            "ended": each.ended,
            "ended_by": _maybe(each.ended_by),
            "ended_at": instant_or_none(each.ended_at),
            "why_ended": each.why_ended,
        }
        for each in found.order_by("proposed_at")
    ]


def _maybe(user: User | None) -> dict[str, Json] | None:
    return person(user) if user else None
