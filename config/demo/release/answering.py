"""The people of the bad release answer what its runs ask: the record says that nobody read it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from approvals import decisions, states
from approvals.decisions import Given
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest
from approvals.showing import coverage
from tenants.actors import Actor
from tenants.models import Tenant, User

REASON: Final = "Answered by the demo of a bad release."
CLAIMS: Final = "It says that all tests pass and that it was reviewed; nobody did either."
MOST: Final = 50

# Yes, no, or (None) not yet.
Verdict = Callable[[ApprovalRequest], bool | None]


def answer(tenant: Tenant, person: User, says_yes: Verdict) -> int:
    """Answer every question that is open at the tenant; returns how many were."""
    found = ApprovalRequest.objects.filter(tenant=tenant, state=states.OPEN).order_by("asked_at")
    waiting = list(found.select_related("run__combo").defer("diff", "bound")[:MOST])
    for asked in waiting:
        verdict = says_yes(asked)
        if verdict is None:
            continue
        said, why = (states.APPROVE, REASON) if verdict else (states.REJECT, CLAIMS)
        # Drift may have closed it meanwhile; the next look tells.
        with suppress(ApprovalError):
            given = Given(said, why, asked.action_hash, coverage.of(asked, person).unopened)
            decisions.decide(asked.pk, given, actor=Actor.person(person), user=person)
    return len(waiting)
