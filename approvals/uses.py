"""Using an approval up: what the dispatch of an effect asks, inside its own transaction.

The caller holds the locks of the run and of the action, in that order, and writes the attempt in
the same transaction: no attempt without a used approval, no used approval without an attempt.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import IntegrityError, connection
from django.db.transaction import TransactionManagementError

from approvals import judging, locks, states
from approvals.errors import DamagedRequestError, NotApprovedError
from approvals.models import ApprovalRequest
from approvals.people import deciders
from tenants.database import Rows, Statement, models, whole

GIVEN: Final = f"""
SELECT state, rule, used_by_attempt FROM approvals_approval
 WHERE request_id = ({locks.LATEST_ID}) FOR UPDATE
"""  # noqa: S608 - words of ours

TOO_LATE: Final = "the approval has run out"

# Both rows are locked; the clock is read as the statement runs. Raises instead of using nothing.
USE: Final = """
WITH given AS (
    UPDATE approvals_approval AS approval
       SET state = 'used', used_at = clock_timestamp(), used_by_attempt = %(attempt)s
      FROM approvals_approvalrequest AS request
     WHERE approval.request_id = %(request)s AND request.id = approval.request_id
       AND approval.state = 'unused' AND request.expires_at > clock_timestamp()
    RETURNING approval.request_id
), told AS (
    UPDATE approvals_approvalrequest SET state = 'used'
      FROM given WHERE approvals_approvalrequest.id = given.request_id
)
SELECT kedge_must((SELECT count(*) FROM given) = 1, %(too_late)s)
"""
STILL_HOLDS: Final = """
SELECT kedge_must(expires_at > clock_timestamp(), %(too_late)s)
  FROM approvals_approvalrequest WHERE id = %(request)s
"""


@dataclass(frozen=True)
class Wanted:
    """An attempt that is to go. `expected_hash` comes from a fresh dry run and the *stored* nonce
    and expiry. `is_further`: an earlier one went, and each was proved absent or voided (rule 6);
    only then may it go under the approval that the first has used up."""

    id: UUID
    action_id: UUID
    expected_hash: str
    is_further: bool


@dataclass(frozen=True)
class Use:
    """What an attempt may go under: `request`, whose approval it uses up when it is the first."""

    request: ApprovalRequest
    attempt_id: UUID
    is_first: bool

    def statement(self) -> Statement:
        """The use itself. Fails, with `TOO_LATE`, when the approval has run out by now."""
        values = {"request": self.request.pk, "too_late": TOO_LATE}
        if not self.is_first:  # the attempt's own row is the record
            return STILL_HOLDS, values
        return USE, values | {"attempt": self.attempt_id}


def locking(action_id: UUID, tenant_id: int) -> list[Statement]:
    """What locks request, then approval, and then reads who stands by it; `judge` takes the rows.

    Raises `TransactionManagementError` where the locks would end with their statements.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("an approval is used in the transaction of its attempt")
    newest = {"action": action_id}
    return [
        (whole(ApprovalRequest, locks.LATEST), newest),
        (GIVEN, newest),
        deciders.given(action_id, tenant_id),
    ]


def judge(found: Sequence[Rows], attempt: Wanted) -> Use:
    """Under the locks: may this attempt go? Raises `NotApprovedError`; then nothing may be sent."""
    newest, given, said_yes = found
    if not newest:
        raise NotApprovedError("no_request", attempt.action_id)
    [request] = models(ApprovalRequest, locks.LATEST, newest)
    [(state, rule, used_by)] = given or [("", "", None)]
    is_unused = (request.state, state) == (states.APPROVED, states.UNUSED)
    is_used = (request.state, state) == (states.USED, states.USED)
    if not (is_unused or (is_used and attempt.is_further and used_by != attempt.id)):
        raise NotApprovedError(request.state, attempt.action_id)
    _judge(request, attempt.expected_hash, rule, said_yes)
    return Use(request, attempt.id, is_first=is_unused)


@contextmanager
def refused_when_late(action_id: UUID) -> Iterator[None]:
    """What the clock refuses inside the statement of a use is no approval either."""
    try:
        yield
    except IntegrityError as error:
        if TOO_LATE not in str(error):
            raise
        raise NotApprovedError(states.EXPIRED, action_id) from error


def _judge(request: ApprovalRequest, expected_hash: str, rule: str, said_yes: Rows) -> None:
    """Intact, the same effect, and enough people still stand by it."""
    try:
        judging.bound_of(request)
        enough = _is_enough(request, rule, said_yes)
    except DamagedRequestError as error:
        raise NotApprovedError("damaged", request.action_id) from error
    if expected_hash != request.action_hash:
        raise NotApprovedError("hash_differs", request.action_id)
    if not enough:
        raise NotApprovedError("too_few_approvers", request.action_id)


def _is_enough(request: ApprovalRequest, rule: str, said_yes: Rows) -> bool:
    requirement = judging.demands(request)
    if requirement.automatic:
        return rule == requirement.automatic
    return judging.are_enough(requirement, deciders.counted(request, requirement, said_yes))
