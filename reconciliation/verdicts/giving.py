"""Giving a verdict: by one person, or by two where the rules demand it. It never sends anything."""

from dataclasses import replace
from functools import partial
from uuid import UUID

from django.db import transaction

from canonical.redaction import Fact, ours
from checkpoints import cases, runs, states
from checkpoints.boundaries import boundary
from checkpoints.cases import Ruling
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, ProposedVerdict, Verdict
from reconciliation import contradictions
from reconciliation.errors import VerdictRefusedError
from reconciliation.verdicts import compensating, second, standing
from reconciliation.verdicts.choosing import choices
from reconciliation.verdicts.compensating import Undoing
from reconciliation.verdicts.following import follow
from reconciliation.verdicts.terms import Choice, Desk, Given, checked, of_record, redacted, words
from tenants.keys import hiding
from tenants.models import User


def give(
    case_id: UUID, given: Given, *, user: User, second_person: User | None = None
) -> Verdict | ProposedVerdict:
    """Record a verdict and let the run go on, in one transaction.

    Where the rules demand a second person it is only proposed, and nothing follows, unless
    `second_person` has agreed to exactly this elsewhere (in a plan). Raises `VerdictRefusedError`
    when it cannot be given now, `IllegalMoveError` when somebody was quicker. The case closes when
    the run has committed past the trouble.
    """
    known = Case.objects.select_related("tenant").get(pk=case_id)
    given = redacted(known, given)
    alone = second.demand(known, given.verdict, user).people == 1
    boundary("verdict:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "verdict:after"))
        counts = alone or second_person is not None
        undoing = _begun(known, given, user) if counts else None
        run, case = cases.locked(case_id)
        desk = Desk(run, case, given, user)
        choice = _choice(desk)
        demanded = second.demand(case, given.verdict, user)
        if demanded.people == 1:
            return _decided(desk, choice, undoing, Ruling(given.verdict, ours("")))
        if second_person is None:
            if undoing is not None:
                raise IllegalMoveError("the rules want a second person now; load the page again")
            return second.propose(desk, demanded)
        if second_person.pk == user.pk:
            raise VerdictRefusedError("the rules want a second person for this verdict")
        by_two = Ruling(given.verdict, ours(""), agreed_by=second_person)
        return _decided(desk, choice, undoing, by_two)


def agree(proposal_id: UUID, *, terms: str, user: User) -> Verdict:
    """The second person agrees on exactly what was proposed, and it takes effect.

    `terms` is the digest that their page showed. Raises `VerdictRefusedError` when anything moved
    in between (the proposal ends as outdated), when they are not a second person, or when it cannot
    be given now; `IllegalMoveError` when somebody was quicker.
    """
    proposal = ProposedVerdict.objects.select_related("case__tenant", "proposed_by").get(
        pk=proposal_id
    )
    boundary("agree verdict:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "agree verdict:after"))
        given = of_record(proposal.verdict, proposal.reason, proposal.evidence, proposal.detail)
        undoing = _begun(proposal.case, given, proposal.proposed_by)
        run, case = cases.locked(proposal.case_id)
        proposal = second.locked(proposal_id, case)
        second.refuse_unless_second(proposal, user)
        moved = _moved(proposal, given, Desk(run, case, given, user), terms)
        if not moved:
            second.end(proposal, second.AGREED, user=user, why=ours(""))
            desk = Desk(run, case, given, proposal.proposed_by)
            ruling = Ruling(given.verdict, ours(""), agreed_by=user, proposal=proposal)
            return _decided(desk, _choice(desk), undoing, ruling)
        transaction.set_rollback(True)  # also what undoes it has not begun
    _outdate(proposal, user)
    raise VerdictRefusedError("the case has moved since this was proposed: look again, and decide")


def decline(proposal_id: UUID, *, reason: str, user: User) -> ProposedVerdict:
    """Say no to what somebody else proposed, or take one's own back. The case stays as it is."""
    known = ProposedVerdict.objects.select_related("case__tenant").get(pk=proposal_id)
    why = words(known.case, reason)
    if known.proposed_by_id != user.pk and not str(why).strip():
        raise VerdictRefusedError("say why you do not agree")
    boundary("decline verdict:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "decline verdict:after"))
        _, case = cases.locked(known.case_id)
        proposal = second.locked(proposal_id, case)
        own = proposal.proposed_by_id == user.pk
        second.end(proposal, second.WITHDRAWN if own else second.DECLINED, user=user, why=why)
    proposal.refresh_from_db()
    return proposal


def _begun(case: Case, given: Given, user: User) -> Undoing | None:
    """What must begin before the run is locked: another run, for which stops are locked first."""
    if given.verdict != states.COMPENSATE:
        return None
    if states.COMPENSATE not in {choice.verdict for choice in choices(case)}:
        return None
    return compensating.begin(case, given, user=user)


def _choice(desk: Desk) -> Choice:
    standing_proposal = second.open_proposal(desk.case)
    if standing_proposal is not None:
        who = standing_proposal.proposed_by
        raise VerdictRefusedError(f"{who} has proposed a verdict; agree on it, or decline it first")
    for choice in choices(desk.case):
        if choice.verdict == desk.given.verdict:
            checked(choice, desk.given)
            return choice
    kind = desk.case.kind
    raise VerdictRefusedError(f"a case of kind {kind} has no verdict {desk.given.verdict!r}")


def _decided(desk: Desk, choice: Choice, undoing: Undoing | None, ruling: Ruling) -> Verdict:
    """Write it down, do what follows, and let the run go; all or nothing."""
    given, run, case = desk.given, desk.run, desk.case
    more: dict[str, Fact] = {"undone_by": undoing.run.pk} if undoing is not None else {}
    ruling = replace(
        ruling,
        reason=hiding.text(given.reason),
        evidence=hiding.text(given.evidence),
        detail=given.detail(**more),
    )
    verdict = cases.decide(case, ruling, user=desk.user)
    follow(desk, choice.verdict)
    if run.status == states.HELD:
        runs.release_hold(run.pk, sentence=hiding.text(f"{desk.user} decided: {choice.label}."))
    contradictions.hold_for_what_waited(case)
    return verdict


def _moved(proposal: ProposedVerdict, given: Given, desk: Desk, terms: str) -> bool:
    same_words = proposal.terms == terms == given.digest(desk.case)
    return not same_words or proposal.state != standing.digest(desk.run, desk.case)


def _outdate(proposal: ProposedVerdict, user: User) -> None:
    boundary("outdate verdict:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "outdate verdict:after"))
        _, case = cases.locked(proposal.case_id)
        found = second.locked(proposal.pk, case)
        second.end(found, second.OUTDATED, user=user, why=ours("The case had moved."))
