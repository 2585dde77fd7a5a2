"""Brings one run to where nobody knows whether its mail went out, by real answers of a demo person.

An operator at the first look should find such a case. It takes two answers, given here as the
second approver and said openly on the card; the mail server does the rest.
"""

from contextlib import suppress

from django.utils.translation import gettext as _

from approvals import decisions, states
from approvals.decisions import Given
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest
from approvals.showing import coverage
from checkpoints.models import Run
from checkpoints.states import FINAL
from config.demo import people, things
from tenants.actors import Actor
from tenants.models import User

REASON = "Given by the demo itself, so that one mail of unknown outcome is there to look at."


def drive() -> bool:
    """Give the next answer that the run waits for; False when there is none to give any more.

    Once its case was open nothing is answered: what follows is for the operator to decide.
    """
    run, person = _pending(), people.user_of(people.APPROVER)
    if run is None or person is None:
        return False
    asked = (
        ApprovalRequest.objects.filter(run=run, state=states.OPEN).defer("diff", "bound").first()
    )
    if asked is not None:
        # Somebody else may be faster; the next look tells.
        with suppress(ApprovalError):
            decisions.decide(
                asked.pk,
                # Nobody read it, and the record says so.
                Given(states.APPROVE, REASON, asked.action_hash, _unopened(asked, person)),
                actor=Actor.person(person),
                user=person,
            )
    return True


def _unopened(asked: ApprovalRequest, person: User) -> int:
    return coverage.of(asked, person).unopened


def still_to_come() -> str:
    """Where the run stands that is on its way there; "" when it got there, or never will."""
    run = _pending()
    if run is None:
        return ""
    return _("the mail of %(key)s: its run is %(status)s at step %(head)d") % {
        "key": run.business_key,
        "status": run.status,
        "head": run.head,
    }


def _pending() -> Run | None:
    run = things.dying_run()
    if run is None or run.status in FINAL or things.unknown_mail() is not None:
        return None
    return run
