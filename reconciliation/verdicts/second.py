"""The second person: whether the rules demand one, and what two people agree on word for word."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models.functions import Now

from approvals import rules
from approvals.people import reversibility
from approvals.rules import Effect, Ruled
from canonical import json as canonical
from canonical.redaction import Redacted, ours
from checkpoints import claims, events
from checkpoints.claims import Subject
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, ProposedVerdict, Run
from reconciliation import demands, sensitive
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action
from reconciliation.verdicts import standing
from reconciliation.verdicts.terms import Desk
from tenants import access, audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.keys.errors import KeysError
from tenants.models import User

RIGHT: Final = "reconcile_actions"
AGREED: Final = "agreed"
DECLINED: Final = "declined"
WITHDRAWN: Final = "withdrawn"
OUTDATED: Final = "outdated"
# Stands for a rule where the effect cannot be read: fail closed.
UNREADABLE_EFFECT: Final = "unreadable-effect"


@dataclass(frozen=True)
class Demand:
    """How many people a verdict takes, and the rules of the combo that say so, by name."""

    people: int
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judging:
    """What the rules are asked with, read once: for each verdict that a page offers."""

    document: Any
    kind: str
    effect: Effect | None
    by_starter: bool

    def of(self, verdict: str) -> Demand:
        """How many people this verdict takes. An effect that cannot be read takes two."""
        if self.effect is None:
            return Demand(2, (UNREADABLE_EFFECT,))
        ruled = Ruled(self.kind, verdict, self.effect, self.by_starter)
        named = rules.second_person_for(self.document, ruled)
        return Demand(2, named) if named else Demand(1)


def judging(case: Case, user: User) -> Judging:
    """What the rules of the run's combo are asked with about verdicts of this person."""
    run = Run.objects.select_related("combo", "tenant").get(pk=case.run_id)
    by_starter = run.started_by_id == user.pk
    return Judging(demands.rules_of(run.combo), case.kind, _effect(case, run), by_starter)


def demand(case: Case, verdict: str, user: User) -> Demand:
    """What the rules of the run's combo demand for this verdict by this person.

    Rules that cannot be read, and an effect that cannot be told, demand a second person.
    """
    return judging(case, user).of(verdict)


def open_proposal(case: Case) -> ProposedVerdict | None:
    """What somebody proposes to decide, while nobody agreed or said no."""
    return case.proposals.select_related("proposed_by").filter(ended="").first()


def propose(desk: Desk, demanded: Demand) -> ProposedVerdict:
    """Write down what the first person proposes, run and case locked. Nothing follows from it."""
    case, given, user = desk.case, desk.given, desk.user
    claims.refuse_if_anothers(Subject.of_case(case), user=user)
    if not given.reason.strip():
        raise IllegalMoveError("say why: a verdict needs a reason")
    made = ProposedVerdict.objects.create(
        case=case,
        verdict=given.verdict,
        reason=given.reason,
        evidence=given.evidence,
        detail=hiding.facts(given.detail()),
        terms=given.digest(case),
        state=standing.digest(desk.run, case),
        demanded_by=list(demanded.rules),
        proposed_by=user,
    )
    _told(case, user, "proposed verdict", made, reason=hiding.text(given.reason))
    return made


def locked(proposal_id: UUID, case: Case) -> ProposedVerdict:
    """Lock a proposal that stands, after its case. Raises `IllegalMoveError`: what became of it."""
    found = (
        ProposedVerdict.objects.select_for_update(of=("self",))
        .select_related("proposed_by")
        .get(pk=proposal_id, case=case)
    )
    if found.ended:
        raise IllegalMoveError(f"this proposal was {found.ended} already; load the page again")
    return found


def refuse_unless_second(proposal: ProposedVerdict, user: User) -> None:
    """Two distinct people, both of whom may decide here now. Raises `VerdictRefusedError`."""
    if proposal.proposed_by_id == user.pk:
        raise VerdictRefusedError("you proposed it yourself; somebody else must agree")
    both = access.who_may(proposal.case.tenant_id, RIGHT, [proposal.proposed_by_id, user.pk])
    if set(both) != {proposal.proposed_by_id, user.pk}:
        raise VerdictRefusedError("one of the two may not decide cases here any more")


def end(proposal: ProposedVerdict, how: str, *, user: User, why: Redacted) -> None:
    """End a locked proposal; it ends once."""
    hit = ProposedVerdict.objects.filter(pk=proposal.pk, ended="").update(
        ended=how, ended_at=Now(), ended_by=user, why_ended=str(why)
    )
    if hit != 1:
        raise IllegalMoveError("this proposal has ended already; load the page again")
    _told(proposal.case, user, f"{how} verdict", proposal, reason=why)


def _told(
    case: Case, user: User, what: str, proposal: ProposedVerdict, *, reason: Redacted
) -> None:
    actor, verdict = Actor.person(user), hiding.text(proposal.verdict)
    did = hiding.text(what)
    events.append(case.run_id, did, actor, case=case.pk, verdict=verdict)
    audit.record(
        case.tenant,
        actor,
        did,
        ours("case %(id)s", id=case.pk),
        verdict=verdict,
        reason=reason,
        terms=hiding.text(proposal.terms),
    )


def _effect(case: Case, run: Run) -> Effect | None:
    slug = run.tenant.slug
    action = Action.objects.filter(pk=case.action_id).first() if case.action_id else None
    if action is None:
        return Effect(tool="", tenant=slug)
    try:
        parameters = canonical.loads(sensitive.parameters(action))
    except KeysError:
        return None
    return Effect(
        tool=action.tool,
        tenant=slug,
        target=action.target,
        magnitude=action.magnitude,
        parameters=parameters,
        reversibility=reversibility.class_of(action.tenant_id, action.tool),
    )
