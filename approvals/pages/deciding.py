"""The decision column: who has decided, what is missing, who can still give it, and what I may do."""

from dataclasses import dataclass, field
from datetime import datetime

from approvals import clock, decisions, judging, onward, states
from approvals.errors import ContradictoryDiffError, NotPermittedError
from approvals.models import ApprovalRequest, Decision, HandOver
from approvals.pages import unopened, wording
from approvals.pages.forms import DecisionForm, HandOverForm, TakingAwayForm
from approvals.pages.unopened import Unopened
from approvals.pages.wording import Follows
from approvals.people import confirming, handovers, proving
from approvals.people.standings import Part
from approvals.queries import Detail, Unsent
from approvals.showing import agreeing, coverage
from tenants.actors import Actor
from tenants.amounts import short
from tenants.models import User
from tenants.scope import TenantRequest

# Why a person may not decide, beside the codes of `NotPermittedError`: each has one sentence in
# `templates/approvals/_why_not.html`.
DAMAGED = "damaged"
NOT_SHOWN = "not_shown"


@dataclass(frozen=True)
class Posted:
    """Forms that were posted and could not be accepted: they come back as they were filled in."""

    answer: DecisionForm | None = None
    taking_away: TakingAwayForm | None = None
    hand_over: HandOverForm | None = None


@dataclass(frozen=True)
class Demand:
    """One part of what is needed, as people read it: who counts, who gave it, who still can."""

    text: str
    rule: str
    given: list[User]
    missing: int
    can_give: list[User]
    more: int


@dataclass(frozen=True)
class Column:
    """What the decision column of one person shows.

    `why_not` is "" when they may decide now, else one of the codes above. `mine` is their own
    decision. `demand` says how many are needed and have said yes; `parts` are there when the rules
    ask for certain people; `is_possible` is False when all who still can are too few. `others`
    could decide besides them; `unopened` is there when they may decide and have not opened all;
    `handed` are the hand-overs that stand; `unproved` could too, had they something to prove with.
    `unsent` is there while an approval waits to be sent.
    """

    why_not: str
    mine: Decision | None
    demand: str
    parts: list[Demand]
    is_possible: bool
    follows: Follows
    code: str
    is_open: bool
    is_over: bool
    may_withdraw: bool
    may_take_back: bool
    others: list[User]
    others_more: int
    handed: list[HandOver]
    form: DecisionForm
    taking_away: TakingAwayForm
    hand_over: HandOverForm | None = field(default=None)
    unsent: Unsent | None = None
    needs_proof: bool = False
    unproved: list[User] = field(default_factory=list)
    unopened: Unopened | None = None
    contradiction: str = ""


def column(
    request: TenantRequest, detail: Detail, *, damaged: bool, posted: Posted | None = None
) -> Column:
    """The column as the person of this request sees it, after what this answer shows was kept."""
    posted = posted or Posted()
    asked = detail.request
    mine = next((each for each in detail.decisions if each.user_id == request.user.pk), None)
    people, now = detail.people, clock.now()
    is_over = asked.expires_at <= now
    may = request.access.rights.get(asked.tenant_id, frozenset())
    others = [user for user in detail.still_can if user.pk != request.user.pk]
    handed = handovers.standing([asked.pk]).get(asked.pk, [])
    is_open = asked.state == states.OPEN and not is_over
    may_ask = is_open and not damaged and bool(may & decisions.MAY_WITHDRAW)
    why_not = _why_not(asked, request.user, may, damaged=damaged)
    may_decide = is_open and not why_not and mine is None
    return Column(
        why_not=why_not,
        mine=mine,
        demand=wording.demand(people.needed, yes=people.yes),
        parts=[_demand(part) for part in people.parts] if people.requirement.quorums else [],
        is_possible=people.is_possible,
        follows=wording.follows(asked, still_missing=people.missing),
        code=short(asked.action_hash),
        is_open=is_open,
        is_over=is_over and asked.state in states.LIVE,
        may_withdraw=asked.state == states.APPROVED and bool(may & decisions.MAY_WITHDRAW),
        may_take_back=asked.state == states.OPEN and _is_standing_yes(mine),
        others=others,
        others_more=max(0, people.can_help_count - len(people.can_help)),
        handed=handed,
        form=posted.answer or _fresh(request, asked),
        taking_away=posted.taking_away or TakingAwayForm(auto_id="taking-away-%s"),
        hand_over=(posted.hand_over or HandOverForm(others)) if may_ask and others else None,
        unsent=_unsent(asked, now),
        needs_proof=not damaged and proving.is_needed(asked),
        unproved=list(people.unproved),
        unopened=unopened.of(asked, coverage.of(asked, request.user)) if may_decide else None,
        contradiction=_contradiction(asked) if may_decide else "",
    )


def _contradiction(asked: ApprovalRequest) -> str:
    try:
        agreeing.refuse_if_contradictory(asked)
    except ContradictoryDiffError as refusal:
        return refusal.code
    return ""


def _fresh(request: TenantRequest, asked: ApprovalRequest) -> DecisionForm:
    kept = {"reason": confirming.draft(request, asked.pk)}
    return DecisionForm(initial={"shown": asked.action_hash, "onward": onward.of(request), **kept})


def _unsent(asked: ApprovalRequest, now: datetime) -> Unsent | None:
    """An approval that waits to be used; counted from when the request became approved."""
    if asked.state != states.APPROVED or asked.closed_at is None:
        return None
    return Unsent(asked, now - asked.closed_at)


def _is_standing_yes(mine: Decision | None) -> bool:
    return mine is not None and mine.verdict == states.APPROVE and not hasattr(mine, "taken_back")


def _demand(part: Part) -> Demand:
    return Demand(
        text=wording.who_counts(part.who, part.people),
        rule=part.rule,
        given=list(part.given),
        missing=part.missing,
        can_give=list(part.can_give),
        more=max(0, part.can_give_count - len(part.can_give)),
    )


def _why_not(asked: ApprovalRequest, user: User, may: frozenset[str], *, damaged: bool) -> str:
    """The verb's own judgement, so that page and verb never disagree."""
    if damaged:
        return DAMAGED
    try:
        judging.admit(asked, actor=Actor.person(user), user=user)
    except NotPermittedError as refusal:
        return refusal.code
    return "" if "read_payloads" in may else NOT_SHOWN
