"""What a person must have opened before they say yes, and who may decide without."""

from typing import Final

from approvals import judging
from approvals.errors import UnopenedError
from approvals.models import ApprovalRequest
from approvals.people import reversibility
from approvals.rules.classes import IRREVERSIBLE
from approvals.showing import coverage
from tenants.models import User

BY_CLASS: Final = "class"
BY_RULE: Final = "rule"


def why_all(request: ApprovalRequest) -> str:
    """Why nobody may decide this without opening everything: `BY_CLASS`, `BY_RULE`; "" if they may.

    The class is the tenant's own word, when it was asked and now; without one, the worst.
    """
    return why_all_of(*decides(request))


def decides(request: ApprovalRequest) -> tuple[int, str, str, bool]:
    """What that depends on, for many at once: tenant, tool, class when asked, whether a rule says so."""
    demands = judging.demands(request)
    return request.tenant_id, request.tool, demands.reversibility, demands.open_all


def why_all_of(tenant_id: int, tool: str, said: str, by_rule: bool) -> str:  # noqa: FBT001
    """The answer of `why_all` for what `decides` gave."""
    if by_rule:
        return BY_RULE
    now = reversibility.class_of(tenant_id, tool)
    return BY_CLASS if IRREVERSIBLE in (said, now) else ""


def refuse_if_unopened(request: ApprovalRequest, user: User, *, without: int) -> int:
    """How many parts this person decides without having opened them; 0 is the ordinary yes.

    `without` is how many they said. What is left only ever gets less, so the same number is the
    same parts. The caller holds the request. Raises `UnopenedError` for any other number, and for
    any at all where everything must be opened.
    """
    left = coverage.of(request, user).left
    if not left:
        return 0
    why_all_of_it = why_all(request)
    if why_all_of_it or without != len(left):
        raise UnopenedError(request.pk, left, why_all=why_all_of_it, said=without)
    return without
