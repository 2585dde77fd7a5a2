"""Evidence that comes too late: after a contrary settlement, or beside a later intent."""

from typing import Final

from canonical.redaction import Fact, ours
from checkpoints import cases, events, holding, states
from checkpoints.cases import Trouble
from checkpoints.models import Case, Event, Run, Verdict
from reconciliation import states as world
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import hiding

ENGINE = Actor.machine("worker")
WHAT: Final = "late evidence"


def note_late_evidence(run: Run, action: Action, *, later_intent: bool) -> None:
    """Inside the receipt's transaction, run and action locked: hold the run and tell people.

    What was decided or sent on a wrong belief is a person's to look at before anything follows from
    it. A run that has ended stays so, and its case is open; one that is held already keeps its
    case, and this one is opened when that is decided. `evidence_at` on the action blocks every
    further dispatch.
    """
    kind = states.DUPLICATE_EFFECT if later_intent else states.CONTRADICTED
    standing = Case.objects.filter(run=run, decided_at=None, closed_at=None).first()
    waits_for = standing.pk if standing is not None and standing.kind != kind else None
    told: dict[str, Fact] = {"kind": hiding.text(kind), "waits_for": waits_for}
    events.append(run.id, WHAT, ENGINE, action=action.id, **told)
    holding.hold_now(run, _trouble(kind, action), actor=ENGINE)


def hold_for_what_waited(case: Case) -> None:
    """Inside a verdict's transaction, run locked: late evidence that came meanwhile is next."""
    found = Event.objects.filter(run_id=case.run_id, what=WHAT, detail__waits_for=str(case.pk))
    came = found.order_by("-id").first()
    if came is None:
        return
    action = Action.objects.filter(pk=came.detail["action"]).first()
    if action is not None:
        run = Run.objects.get(pk=case.run_id)
        holding.hold_now(run, _trouble(str(came.detail["kind"]), action), actor=ENGINE)


def _trouble(kind: str, action: Action) -> Trouble:
    facts: dict[str, Fact] = {
        **hiding.texts(error=kind, target=action.target, tool=action.tool),
        **_against(action),
    }
    said = (
        ours("A second attempt was already out when the answer to the first arrived.")
        if kind == states.DUPLICATE_EFFECT
        else hiding.text(
            f"The ledger says {action.outcome.replace('_', ' ')}, and now the effect was found."
        )
    )
    return Trouble(kind, said, facts, action.id)


def _against(action: Action) -> dict[str, Fact]:
    """The verdict that this evidence is against; its case is not waited for any more."""
    if action.because != world.BY_PERSON:
        return {}
    about = Verdict.objects.filter(case__action_id=action.pk, superseded=None)
    newest = about.select_related("case").order_by("-given_at").first()
    if newest is None:
        return {}
    mine = Case.objects.filter(pk=newest.case_id, closed_at=None, decided_at__isnull=False)
    cases.close(mine, because=ours("late evidence was against it"))
    return {"case": newest.case_id, "verdict": hiding.text(newest.verdict)}
