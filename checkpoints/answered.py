"""A case that is over by itself: what nobody knew is known, so nobody has to decide."""

from django.db.models.functions import Now

from canonical.redaction import Said, ours
from checkpoints import claims, events, notices
from checkpoints.claims import Subject
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding


def close(case: Case, *, because: Said, actor: Actor) -> None:
    """Close an undecided case that is locked with its run (`cases.locked`)."""
    said = hiding.text(hiding.said(because))
    undecided = Case.objects.filter(pk=case.pk, decided_at=None, closed_at=None)
    if undecided.update(closed_at=Now(), closed_because=str(said)) != 1:
        raise IllegalMoveError("the case was not locked before it was closed")
    claims.settle(Subject.of_case(case))
    notices.case_settled(case)
    events.append(case.run_id, "case closed", actor, case=case.pk, because=said)
    subject = ours("case %(id)s", id=case.pk)
    audit.record(case.tenant, actor, "closed case", subject, because=said)
