"""How a case stands: what two people who decide together must have looked at alike."""

from canonical import digests
from checkpoints.models import Case, Run
from reconciliation.models import Action, Attempt, Receipt


def digest(run: Run, case: Case) -> str:
    """The digest of what a verdict rests on: the case, its run and its effect, as they are now.

    That the tool was asked once more without an answer moves nothing; that something was learnt,
    or that the run went anywhere, does.
    """
    return digests.tagged("case-stands", [str(case.pk), case.kind, *_run(run), *_effect(case)])


def _run(run: Run) -> list[object]:
    return [run.status, run.head, run.cancel_requested_at is not None]


def _effect(case: Case) -> list[object]:
    if case.action_id is None:
        return []
    known = Action.objects.filter(pk=case.action_id).values_list(
        "stands", "outcome", "because", "evidence_at"
    )
    attempts = Attempt.objects.filter(action_id=case.action_id).order_by("number")
    return [
        [[stands, outcome, because, str(at or "")] for stands, outcome, because, at in known],
        [[number, outcome] for number, outcome in attempts.values_list("number", "outcome")],
        Receipt.objects.filter(action_id=case.action_id).count(),
    ]
