"""Puts a run on hold from outside: whoever works on it is a stale owner from that moment on."""

from django.db.models import F

from canonical.redaction import Said
from checkpoints import cases, events, recoveries, states
from checkpoints.cases import Trouble
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Run
from tenants.actors import Actor
from tenants.keys import hiding

AT_WORK = (states.QUEUED, states.RUNNING, states.WAITING)
# Between two turns: nobody has it, and it has committed all that it did.
AT_REST = (states.QUEUED, states.WAITING)


def hold_now(run: Run, trouble: Trouble, *, actor: Actor) -> None:
    """Hold a run that is locked, and open its case, inside the caller's transaction.

    The fence grows (rule 11): a commit or an intent that waits for the lock finds no lease of its
    own after it, and the answer to a call that is out is kept all the same. A run that has ended
    stays as it ended; one whose case is open already keeps that case.
    """
    if run.status in AT_WORK:
        hit = Run.objects.filter(pk=run.pk, status__in=AT_WORK).update(
            status=states.HELD,
            reason=trouble.kind,
            sentence=hiding.said(trouble.sentence),
            fence=F("fence") + 1,
            holder=None,
            lease_until=None,
            due_at=None,
        )
        if hit != 1:
            raise IllegalMoveError("the run was not locked before it was held")
    if not Case.objects.filter(run=run, decided_at=None, closed_at=None).exists():
        cases.open_case(run.tenant_id, run.pk, trouble, actor=actor)


def rest_now(run: Run, sentence: Said, *, actor: Actor) -> bool:
    """Let a run that is locked wait for the stop of effects that covers it, at its last boundary.

    Inside the caller's transaction. False, and nothing is changed, for a run that somebody works
    on, that is held or over, that waits for a stop already, that is to end or to move to another
    combo, and for one whose effect may be out: that one is looked after first.
    """
    said = hiding.said(sentence)
    resting = Run.objects.filter(
        pk=run.pk,
        status__in=AT_REST,
        effect_in_flight=None,
        cancel_requested_at=None,
        moving_to=None,
    )
    hit = resting.exclude(status=states.WAITING, reason=states.FOR_STOP).update(
        status=states.WAITING, reason=states.FOR_STOP, sentence=said, due_at=None
    )
    if hit:
        recoveries.end(run.pk, how="by_person")
        events.append(run.pk, "held back", actor, why=hiding.text(said))
    return bool(hit)
