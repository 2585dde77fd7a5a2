"""What is judged under the locks: is the request intact, and whose yes counts."""

from collections.abc import Sequence
from uuid import UUID

from approvals import hashing, rules, states
from approvals.errors import AlreadyDecidedError, DamagedRequestError, NotPermittedError
from approvals.hashing import Difference
from approvals.models import Approval, ApprovalRequest, Decision
from approvals.people import deciders
from approvals.rules import quorums
from canonical import digests
from tenants import access
from tenants.actors import Actor
from tenants.models import User


def bound_of(request: ApprovalRequest) -> hashing.Bound:
    """What the request is bound to, recomputed from what is stored and shown.

    Raises `DamagedRequestError` when any of it is not what the stored hash covers: a hash that
    nobody recomputes protects nothing.
    """
    try:
        bound = hashing.from_bytes(bytes(request.bound))
        rules.Requirement.from_json(request.requirement)
        wrong = _misfits(request, bound)
    except (ValueError, TypeError) as error:
        raise DamagedRequestError(f"request {request.id}: {error}") from error
    if wrong:
        raise DamagedRequestError(f"request {request.id} does not match its hash", wrong)
    return bound


def _misfits(request: ApprovalRequest, bound: hashing.Bound) -> list[Difference]:
    """Each bound field for which something else is stored beside the bytes that were hashed."""
    stored = {
        "action_hash": (hashing.action_hash(bound), request.action_hash),
        "tenant": (bound.tenant, request.tenant_id),
        "run_id": (bound.run_id, request.run_id),
        "action_id": (bound.action_id, request.action_id),
        "tool": (bound.tool, request.tool),
        "parameters_digest": (
            bound.parameters_digest,
            digests.sha256_hex(bytes(request.parameters)),
        ),
        "diff_digest": (
            bound.diff_digest,
            hashing.diff_digest(bytes(request.diff), request.diff_media, bound.volatile),
        ),
        "nonce": (bound.nonce, request.nonce),
        "expires_at": (bound.expires_at, hashing.timestamp(request.expires_at)),
    }
    pairs = {field: (str(saw), str(now)) for field, (saw, now) in stored.items()}
    return [Difference(field, saw, now) for field, (saw, now) in pairs.items() if saw != now]


def admit(request: ApprovalRequest, *, actor: Actor, user: User) -> None:
    """Refuse everybody who may not decide this request. Raises `NotPermittedError`.

    A machine is refused before any right is read: its credential may carry a person's rights.
    """
    if (actor.kind, actor.user_id, user.kind) != ("person", user.pk, User.Kind.PERSON):
        raise NotPermittedError("machine", request.id)
    requirement = demands(request)
    rights = access.of(user)
    if not rights.may(request.tenant_id, requirement.permission):
        raise NotPermittedError("no_right", request.id)
    if is_own(request, user):
        raise NotPermittedError("own_run", request.id)
    if not all(rights.may(request.tenant_id, codename) for codename in deciders.SEEING):
        raise NotPermittedError("not_shown", request.id)
    if requirement.quorums and not _is_asked(request, requirement, user):
        raise NotPermittedError("not_asked", request.id)


def is_own(request: ApprovalRequest, user: User) -> bool:
    """True if the person started the run, or it works on their behalf (named by e-mail)."""
    return deciders.is_own(request, user_id=user.pk, email=user.email)


def eligible(request: ApprovalRequest) -> list[User]:
    """The active people who are asked, and may see it, and have no hand in the run; oldest first."""
    return deciders.asked(request, demands(request))


def still_can(request: ApprovalRequest) -> list[User]:
    """The people of whom a yes would be taken now: asked, able to prove it, without an answer."""
    answered = set(Decision.objects.filter(request=request).values_list("user_id", flat=True))
    able = deciders.provable(demands(request), eligible(request))
    return [user for user in able if user.pk not in answered]


def standing(request: ApprovalRequest) -> set[int]:
    """User ids of those whose yes counts now: given, not taken back, and still eligible."""
    return {person.user_id for person in deciders.yes(request, demands(request))}


def is_enough(request: ApprovalRequest) -> bool:
    """True if as many distinct people as required, of each kind required, stand by their yes now.

    What passed by a rule needs the approval to name that rule.
    """
    requirement = demands(request)
    if requirement.automatic:
        return _passed_by(request) == requirement.automatic
    return are_enough(requirement, deciders.yes(request, requirement))


def are_enough(requirement: rules.Requirement, people: Sequence[rules.Person]) -> bool:
    """True if these people are as many, of each kind, as an answer by people takes."""
    return len(people) >= requirement.approvers and all(
        not quorums.missing(part.slots, quorums.fill(part.slots, people))
        for part in requirement.quorums
    )


def covers(request: ApprovalRequest, now: rules.Requirement) -> bool:
    """True if what the rules demand at this moment is no more than what people were asked for."""
    try:
        return rules.covers(demands(request), now)
    except DamagedRequestError:
        return False


def demands(request: ApprovalRequest) -> rules.Requirement:
    """What the rules demanded when it was asked. Raises `DamagedRequestError`."""
    try:
        return rules.Requirement.from_json(request.requirement)
    except (rules.UnreadableRulesError, TypeError) as error:
        raise DamagedRequestError(f"request {request.id}: {error}") from error


def _is_asked(request: ApprovalRequest, requirement: rules.Requirement, user: User) -> bool:
    [person] = deciders.of_users(request.tenant_id, requirement, [user])
    return requirement.counts(person)


def _passed_by(request: ApprovalRequest) -> str:
    found = Approval.objects.filter(request=request).values_list("rule", flat=True).first()
    return found or ""


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
