"""Taking a verdict back: it is opened again, and what was made of it already is said.

While nothing was made of it, the ledger says again that nobody knows, and the same case is open.
What the run has taken in cannot be unsaid: then it is held by a case of its own, *contradicted*,
which lists what was done since.
"""

from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction

from approvals import requests
from canonical.redaction import Fact, Redacted, ours
from checkpoints import cases, events, holding, states
from checkpoints.boundaries import boundary
from checkpoints.cases import Trouble
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Run, Superseded, Verdict
from reconciliation import states as world
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import compensating
from reconciliation.verdicts.choosing import is_told_by_tool
from reconciliation.verdicts.terms import words
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

TAKEN_BACK: Final = "verdict taken back"
# Verdicts that say something about the world: the ledger took them in.
ABOUT_THE_WORLD: Final = (
    states.IT_HAPPENED,
    states.IT_DID_NOT,
    states.SEND_AGAIN,
    states.COMPENSATE,
    states.WRITE_OFF,
    states.WRITE_OFF_AND_STOP,
)


def supersede(verdict_id: UUID, *, reason: str, user: User) -> Case:
    """Take a verdict back, with a reason; returns the case that is open now.

    Raises `VerdictRefusedError` when it is not the newest of its case, or when its case is closed
    and it said nothing about the world; `IllegalMoveError` without a reason.
    """
    known = Verdict.objects.select_related("case__tenant").get(pk=verdict_id)
    why = words(known.case, reason)
    if not str(why).strip():
        raise IllegalMoveError("say why: taking a verdict back needs a reason")
    boundary("supersede verdict:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "supersede verdict:after"))
        # The run that undoes is locked before the run of the case, as when it was begun.
        compensating.call_off(known, why=why, user=user)
        run = Run.objects.select_for_update().get(pk=known.case.run_id)
        case = Case.objects.select_for_update(of=("self",)).get(pk=known.case_id)
        action = _locked_action(case)
        _refuse_unless_newest(case, known)
        unsaid = _is_unmade(case, known, action)
        if not unsaid and known.verdict not in ABOUT_THE_WORLD:
            raise VerdictRefusedError("the run has gone past this case; there is nothing to reopen")
        Superseded.objects.create(verdict=known, reason=str(why), unsaid=unsaid, superseded_by=user)
        _tell(case, known, why, user)
        if unsaid:
            return _open_again(run, case, known, action, user)
        return _contradict(run, case, known, user)


def can_be(verdict: Verdict) -> bool:
    """Whether a page may offer to take this verdict back; judged again under the locks."""
    case = verdict.case
    if Superseded.objects.filter(verdict=verdict).exists():
        return False
    if case.verdicts.exclude(pk=verdict.pk).filter(given_at__gt=verdict.given_at).exists():
        return False
    if Case.objects.filter(run_id=case.run_id, decided_at=None, closed_at=None).exists():
        return False
    return case.decided_at is not None and (
        case.closed_at is None or verdict.verdict in ABOUT_THE_WORLD
    )


def _refuse_unless_newest(case: Case, verdict: Verdict) -> None:
    if Superseded.objects.filter(verdict=verdict).exists():
        raise IllegalMoveError("this verdict was taken back already; load the page again")
    if case.decided_at is None:
        raise IllegalMoveError("this case is open; decide it instead")
    newest = case.verdicts.order_by("-given_at").first()
    if newest is None or newest.pk != verdict.pk:
        raise VerdictRefusedError("a later verdict stands; take that one back")
    if Case.objects.filter(run_id=case.run_id, decided_at=None, closed_at=None).exists():
        raise VerdictRefusedError("another case of this run is open; decide that one first")


def _locked_action(case: Case) -> Action | None:
    if case.action_id is None:
        return None
    return Action.objects.select_for_update(of=("self",)).filter(pk=case.action_id).first()


def _is_unmade(case: Case, verdict: Verdict, action: Action | None) -> bool:
    """Whether nothing was made of it: not proven, not absorbed, not sent again."""
    run_ended = Run.objects.filter(pk=case.run_id, status__in=states.FINAL).exists()
    if case.closed_at is not None or run_ended:
        return False
    if verdict.verdict not in ABOUT_THE_WORLD or case.kind != states.OUTCOME_UNKNOWN:
        return action is None or verdict.verdict not in ABOUT_THE_WORLD
    if action is None or action.absorbed_seq is not None or is_told_by_tool(action):
        return False
    return not action.attempts.filter(dispatched_at__gt=verdict.given_at).exists()


def _open_again(run: Run, case: Case, verdict: Verdict, action: Action | None, user: User) -> Case:
    if action is not None and verdict.verdict in ABOUT_THE_WORLD:
        _unsay(run, action)
    if run.cancel_requested_at is not None and run.cancel_requested_at >= verdict.given_at:
        Run.objects.filter(pk=run.pk).update(cancel_requested_at=None, cancel_requested_by="")
    run.refresh_from_db()
    why = ours("A verdict was taken back.")
    cases.open_again(case, run, actor=Actor.person(user), why=why)
    holding.hold_now(run, Trouble(case.kind, hiding.text(case.sentence)), actor=Actor.person(user))
    case.refresh_from_db()
    return case


def _unsay(run: Run, action: Action) -> None:
    """Nobody knows again: as it was when the case was opened."""
    last = action.attempts.order_by("-number").first()
    if last is None:
        return
    reason = ours("The verdict that it did not happen was taken back.")
    requests.withdraw(action.pk, actor=Actor.machine("worker"), reason=reason)
    Attempt.objects.filter(pk=last.pk).update(outcome=world.ATTEMPT_OPEN, settled_at=None)
    Action.objects.filter(pk=action.pk).update(
        stands=world.DISPATCHED,
        outcome=world.UNKNOWN,
        because="",
        note="",
        settled_at=None,
        evidence_at=None,
    )
    Run.objects.filter(pk=run.pk).update(effect_in_flight=action.pk)


def _contradict(run: Run, case: Case, verdict: Verdict, user: User) -> Case:
    """What was made of it stands: the run is held, and what was done since is listed there."""
    if case.closed_at is None:
        mine = Case.objects.filter(pk=case.pk)
        cases.close(mine, because=ours("its verdict was taken back"))
    facts: dict[str, Fact] = {
        **hiding.texts(error=TAKEN_BACK, verdict=verdict.verdict),
        "case": case.pk,
    }
    said = ours("A verdict was taken back after the run had gone on with it.")
    trouble = Trouble(states.CONTRADICTED, said, facts, case.action_id)
    holding.hold_now(run, trouble, actor=Actor.person(user))
    opened = Case.objects.filter(run_id=run.pk, decided_at=None, closed_at=None).first()
    if opened is None:
        raise IllegalMoveError("the case could not be opened again; load the page again")
    return opened


def _tell(case: Case, verdict: Verdict, why: Redacted, user: User) -> None:
    actor, code = Actor.person(user), hiding.text(verdict.verdict)
    events.append(case.run_id, "verdict taken back", actor, case=case.pk, verdict=code, why=why)
    audit.record(
        case.tenant,
        actor,
        "took verdict back",
        ours("case %(id)s", id=case.pk),
        verdict=code,
        reason=why,
    )
