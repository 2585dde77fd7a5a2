"""What is judged under the locks: is the request intact, and whose yes counts."""

from uuid import UUID

from approvals import hashing, rules, states
from approvals.errors import AlreadyDecidedError, DamagedRequestError, NotPermittedError
from approvals.models import ApprovalRequest, Decision
from canonical import digests
from tenants import access
from tenants.actors import Actor
from tenants.database import execute
from tenants.models import User


def bound_of(request: ApprovalRequest) -> hashing.Bound:
    """What the request is bound to, recomputed from what is stored and shown.

    Raises `DamagedRequestError` when any of it is not what the stored hash covers: a hash that
    nobody recomputes protects nothing.
    """
    try:
        bound = hashing.from_bytes(bytes(request.bound))
        rules.Requirement.from_json(request.requirement)
        told = hashing.diff_digest(bytes(request.diff), request.diff_media, bound.volatile)
        intact = (
            hashing.action_hash(bound) == request.action_hash
            and bound == bound.sealed(nonce=request.nonce, expires_at=request.expires_at)
            and bound.diff_digest == told
            and bound.parameters_digest == digests.sha256_hex(bytes(request.parameters))
            and (bound.tenant, bound.tool) == (request.tenant_id, request.tool)
            and (bound.run_id, bound.action_id) == (str(request.run_id), str(request.action_id))
        )
    except (ValueError, TypeError) as error:
        raise DamagedRequestError(f"request {request.id}: {error}") from error
    if not intact:
        raise DamagedRequestError(f"request {request.id} does not match its hash")
    return bound


def admit(request: ApprovalRequest, *, actor: Actor, user: User) -> None:
    """Refuse everybody who may not decide this request. Raises `NotPermittedError`.

    A machine is refused before any right is read: its credential may carry a person's rights.
    """
    if (actor.kind, actor.user_id, user.kind) != ("person", user.pk, User.Kind.PERSON):
        raise NotPermittedError("machine", request.id)
    if not access.of(user).may(request.tenant_id, demands(request).permission):
        raise NotPermittedError("no_right", request.id)
    if is_own(request, user):
        raise NotPermittedError("own_run", request.id)


def is_own(request: ApprovalRequest, user: User) -> bool:
    """True if the person started the run, or it works on their behalf (named by e-mail)."""
    return request.starter_id == user.pk or _for_whom(request) == user.email.lower()


def eligible(request: ApprovalRequest) -> list[User]:
    """The active people who hold the right now and have no hand in the run, oldest first."""
    holders = access.holders(request.tenant, demands(request).permission)
    return [user for user in holders if not is_own(request, user)]


# Relies on one_decision_per_person_and_request; what was taken back does not count.
YES = """
SELECT person.id, lower(person.email) FROM approvals_decision AS decision
  JOIN tenants_user AS person ON person.id = decision.user_id
 WHERE decision.request_id = %(request)s AND decision.verdict = 'approve'
   AND NOT EXISTS (SELECT 1 FROM approvals_takenback WHERE decision_id = decision.id)
"""


def standing(request: ApprovalRequest) -> set[int]:
    """User ids of those whose yes counts now: given, not taken back, and still eligible."""
    yes = execute(YES, {"request": request.pk})
    strangers = [
        user_id
        for user_id, email in yes
        if user_id != request.starter_id and email != _for_whom(request)
    ]
    return access.who_may(request.tenant_id, demands(request).permission, strangers)


def is_enough(request: ApprovalRequest) -> bool:
    """True if as many distinct people as required stand by their yes at this moment."""
    return len(standing(request)) >= demands(request).approvers


def demands(request: ApprovalRequest) -> rules.Requirement:
    """What the rules demanded when it was asked. Raises `DamagedRequestError`."""
    try:
        return rules.Requirement.from_json(request.requirement)
    except (rules.UnreadableRulesError, TypeError) as error:
        raise DamagedRequestError(f"request {request.id}: {error}") from error


def _for_whom(request: ApprovalRequest) -> str:
    return request.on_behalf_of.strip().lower()


def already(request: ApprovalRequest) -> AlreadyDecidedError:
    """The error that says what became of a request, by whom and when."""
    return AlreadyDecidedError(
        request.id, state=request.state, by=request.closed_by, at=request.closed_at
    )


def already_by(request: ApprovalRequest, decision: Decision) -> AlreadyDecidedError:
    """The error for a person who has decided this request before, otherwise."""
    return AlreadyDecidedError(
        request.id, state=decision.verdict, by=str(decision.user), at=decision.at
    )


def past_expiry(request: ApprovalRequest) -> AlreadyDecidedError:
    """The error for a request the clock has closed, whether or not the sweeper came by."""
    return AlreadyDecidedError(request.id, state=states.EXPIRED, by="", at=request.expires_at)


def successor(request: ApprovalRequest) -> ApprovalRequest | None:
    """The newest request of the same action, None when this is it."""
    newest = (
        ApprovalRequest.objects.filter(action_id=request.action_id).order_by("-revision").first()
    )
    return None if newest is None or newest.pk == request.pk else newest


def shown_as(action_id: UUID, posted_hash: str) -> ApprovalRequest | None:
    """The request of this action that carried the posted hash, None when there never was one."""
    return ApprovalRequest.objects.filter(action_id=action_id, action_hash=posted_hash).first()
