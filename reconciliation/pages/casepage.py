"""What the page of a case shows: what is wrong, what it rests on, what can be decided by whom."""

from dataclasses import dataclass
from typing import Any, Final

from approvals import onward
from checkpoints import states
from checkpoints.models import Case, ProposedVerdict, Verdict
from reconciliation import verdicts
from reconciliation.casework import panel
from reconciliation.models import Action
from reconciliation.pages import (
    casefacts,
    consequences,
    desk,
    effectpage,
    kinds,
    places,
    queries,
)
from reconciliation.pages.forms import ReasonForm, VerdictForm
from reconciliation.verdicts import offers, second, superseding
from tenants import access
from tenants.models import User
from tenants.scope import TenantRequest

MAY_DECIDE: Final = "reconcile_actions"
TOO_LATE: Final = 409
NOT_ACCEPTED: Final = 422


@dataclass(frozen=True)
class Refused:
    """A form that was posted and not accepted: it stays on the page with what was written."""

    form: VerdictForm | ReasonForm
    status: int = NOT_ACCEPTED


def context(
    request: TenantRequest, case: Case, *, refused: Refused | None = None
) -> dict[str, Any]:
    """The context of the whole page."""
    action = effectpage.of_case(request.tenant, case.action_id)
    is_open = case.decided_at is None and case.closed_at is None
    may_decide = request.access.may(case.tenant_id, MAY_DECIDE)
    return {
        **standing(case),
        "section": "needs",
        "shown": "" if is_open and may_decide else kinds.state_of(case),
        "action": action,
        "is_open": is_open,
        "onward": onward.of(request),
        "skip_url": onward.url(case.tenant, onward.of(request), after=case.pk),
        "may_decide": may_decide,
        "people": access.holders(request.tenant, MAY_DECIDE),
        "too_late": refused.form if refused and refused.status == TOO_LATE else None,
        **_known(request, case, action),
        **_decidable(request, case, action, refused),
        **_proposed(case, request.user, refused),
        **effectpage.sent(request, action),
        **panel.context(request, case),
    }


def standing(case: Case) -> dict[str, Any]:
    """Where the case stands, with the verdicts that were given."""
    return {
        "case": case,
        "pill": kinds.pill_of(case),
        "means": kinds.MEANS[case.kind],
        "given": [
            {
                "said": each,
                "label": verdicts.label_of(case, each.verdict),
                "seen": seen(each),
                "taken_back": getattr(each, "superseded", None),
            }
            for each in queries.verdicts_of(case)
        ],
    }


def seen(said: Verdict | ProposedVerdict) -> list[dict[str, Any]]:
    """Where the evidence of a verdict was seen, as facts."""
    return casefacts.seen(said.detail.get("seen", {}))


def _known(request: TenantRequest, case: Case, action: Action | None) -> dict[str, Any]:
    attempt = queries.open_attempt(action.pk) if action is not None else None
    crashed = case.kind == states.CRASH_LOOP
    return {
        "facts": casefacts.of(case, action, attempt) + places.of(action),
        "tries": effectpage.tries(request, action) if action is not None else [],
        "interruptions": queries.interruptions(case.run_id) if crashed else [],
        "consequences": consequences.of(case, action),
    }


def _decidable(
    request: TenantRequest, case: Case, action: Action | None, refused: Refused | None
) -> dict[str, Any]:
    if case.decided_at is not None or case.closed_at is not None:
        return {"offers": [], "links": [], "candidates": []}
    attempt = queries.open_attempt(action.pk) if action is not None else None
    posted = refused.form if refused and isinstance(refused.form, VerdictForm) else None
    offered = desk.offers(case, attempt, posted, user=request.user)
    may = request.access.rights.get(case.tenant_id, frozenset())
    needs_seq = any(offer.choice.needs_seq for offer in offered)
    return {
        "offers": offered,
        "links": list(offers.of(case, may)),
        "candidates": casefacts.candidates(case.run) if needs_seq else [],
    }


def _proposed(case: Case, user: User, refused: Refused | None) -> dict[str, Any]:
    """What waits for a second person, and which verdict may be taken back."""
    posted = refused.form if refused and isinstance(refused.form, ReasonForm) else None
    proposal = second.open_proposal(case)
    newest = next(iter(queries.verdicts_of(case)), None)
    can_take_back = newest is not None and superseding.can_be(newest)
    return {
        "proposal": None
        if proposal is None
        else {
            "said": proposal,
            "label": verdicts.label_of(case, proposal.verdict),
            "seen": seen(proposal),
            "is_own": proposal.proposed_by_id == user.pk,
            "form": posted or ReasonForm(of="decline", required=False),
        },
        "take_back": {"said": newest, "form": posted or ReasonForm(of="take-back")}
        if can_take_back and newest is not None
        else None,
        "refused": posted.non_field_errors() if posted is not None else None,
    }
