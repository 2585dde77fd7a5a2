"""Cases: the human queue. Rows and claims live here; what a verdict does lives above."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from canonical.redaction import Fact, Said, ours
from checkpoints import claims, events, fingerprints, notices, recoveries, states
from checkpoints.claims import Subject
from checkpoints.desk import pauses
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, ProposedVerdict, Run, Verdict
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User


@dataclass(frozen=True)
class Trouble:
    """Why a run needs a person: the kind, one sentence, and the facts a page shows."""

    kind: str
    sentence: Said
    facts: Mapping[str, Fact] = field(default_factory=dict)
    action_id: UUID | None = None


@dataclass(frozen=True)
class Ruling:
    """A person's verdict in a case: what, why, and what it rests on.

    `agreed_by` is the second person where the rules demand one; `proposal` what they agreed on.
    """

    verdict: str
    reason: Said
    evidence: Said = ""
    detail: Mapping[str, Fact] = field(default_factory=dict)
    agreed_by: User | None = None
    proposal: ProposedVerdict | None = None


def open_case(tenant_id: int, run_id: UUID, trouble: Trouble, *, actor: Actor) -> Case:
    """Open a case inside the transaction that holds the run. One open case per run.

    A run whose case of late evidence is open already is held by that case: what came on top
    stands in the run's sentence and history, and comes back when that case is decided.
    """
    sentence, facts = hiding.said(trouble.sentence), hiding.facts(trouble.facts)
    standing = Case.objects.filter(run_id=run_id, decided_at=None, closed_at=None).first()
    if standing is not None:
        told = hiding.texts(kind=trouble.kind, sentence=sentence)
        events.append(run_id, "held", actor, case=standing.id, **told)
        return standing
    run = Run.objects.only("task_type", "next_node", "combo_id", "status", "head").get(id=run_id)
    alike = _alike(trouble.kind, run, facts)
    same = _not_yet_proven(run_id).filter(fingerprint=alike, action_id=trouble.action_id).first()
    if same is not None:
        # What was decided did not help: it is the same trouble, so the same case is open again.
        Case.objects.filter(pk=same.pk).update(sentence=sentence, facts=facts)
        open_again(same, run, actor=actor, why=ours("The same trouble came back."))
        return same
    case = Case.objects.create(
        tenant_id=tenant_id,
        run_id=run_id,
        kind=trouble.kind,
        sentence=sentence,
        facts=facts,
        action_id=trouble.action_id,
        fingerprint=alike,
        node=run.next_node,
        stood_at=run.head,
    )
    if run.status == states.HELD:  # else it has ended, and the event says what came afterwards
        events.append(run_id, "held", actor, case=case.id, kind=hiding.text(trouble.kind))
    notices.case_opened(case, run.task_type)
    return case


def locked(case_id: UUID) -> tuple[Run, Case]:
    """Inside a transaction: the run, then its case, both FOR UPDATE. The case must be undecided."""
    run_id = Case.objects.values_list("run_id", flat=True).get(id=case_id)
    run = Run.objects.select_for_update().get(id=run_id)
    case = Case.objects.select_for_update().get(id=case_id)
    if case.decided_at is not None or case.closed_at is not None:
        last = case.verdicts.select_related("given_by").order_by("-given_at").first()
        who = f" by {last.given_by} ({last.verdict})" if last else ""
        raise IllegalMoveError(f"this case is decided already{who}; load the page again")
    return run, case


def decide(case: Case, ruling: Ruling, *, user: User) -> Verdict:
    """Record a verdict on a locked case. The run may go on; the case closes when it is proven.

    Raises `HeldByAnotherError` while somebody else is at the case; who decides is done with it.
    """
    claims.refuse_if_anothers(Subject.of_case(case), user=user, second=ruling.agreed_by)
    reason, evidence = hiding.said(ruling.reason), hiding.said(ruling.evidence)
    if not reason.strip():
        raise IllegalMoveError("say why: a verdict needs a reason")
    verdict = Verdict.objects.create(
        case=case,
        verdict=ruling.verdict,
        reason=reason,
        evidence=evidence,
        detail=hiding.facts(ruling.detail),
        given_by=user,
        people=1 if ruling.agreed_by is None else 2,
        proposal=ruling.proposal,
        agreed_by=ruling.agreed_by,
    )
    Case.objects.filter(pk=case.pk, decided_at=None).update(decided_at=Now())
    _done_with(case, ruling.agreed_by or user)
    actor = Actor.person(user)
    recoveries.end(case.run_id, how="by_person")
    given = hiding.text(ruling.verdict)
    second = ruling.agreed_by.pk if ruling.agreed_by is not None else None
    events.append(case.run_id, "verdict given", actor, case=case.id, verdict=given)
    audit.record(
        case.tenant,
        actor,
        "gave verdict",
        ours("case %(id)s", id=case.id),
        verdict=given,
        reason=hiding.text(reason),
        evidence=hiding.text(evidence),
        agreed_by=second,
    )
    return verdict


def _done_with(case: Case, user: User) -> None:
    """Nobody is at it any more, it waits for nobody, and nobody needs to be told."""
    claims.settle(Subject.of_case(case))
    pauses.end_all(case, user=user)
    notices.case_settled(case)


def close_proven(run_id: UUID, *, because: Said) -> None:
    """The run has ended: nothing that was decided is left to prove, so it is closed."""
    close(_not_yet_proven(run_id), because=hiding.text(hiding.said(because)))


def close(found: QuerySet[Case], *, because: Said) -> int:
    """Close these cases, inside the caller's transaction; returns how many there were."""
    return found.update(closed_at=Now(), closed_because=hiding.said(because))


def open_again(case: Case, run: Run, *, actor: Actor, why: Said) -> None:
    """A decided case needs a person again, inside the transaction that holds its run.

    It is the same case: its verdicts and its age stand, and what has to be proven begins anew.
    """
    hit = Case.objects.filter(pk=case.pk, closed_at=None, decided_at__isnull=False).update(
        decided_at=None, prove_by=None, reopened_at=Now(), node=run.next_node, stood_at=run.head
    )
    if hit != 1:
        raise IllegalMoveError("the case is not waiting for its proof any more")
    said = hiding.said(why)
    events.append(run.pk, "case opened again", actor, case=case.pk, why=hiding.text(said))
    notices.case_opened_again(case, run.task_type)


def _not_yet_proven(run_id: UUID) -> QuerySet[Case]:
    return Case.objects.filter(run_id=run_id, closed_at=None, decided_at__isnull=False)


def _alike(kind: str, run: Run, facts: Mapping[str, Any]) -> str:
    tool, error = str(facts.get("tool", "")), str(facts.get("error", ""))
    return fingerprints.of(
        kind, task_type=run.task_type, node=run.next_node, tool=tool, error=error
    )
