"""Many small actions answered in one form: each on its own hash, in its own transaction, by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.utils.translation import gettext as _

from approvals import decisions, states
from approvals.decisions import Given
from approvals.errors import (
    ApprovalError,
    ContradictoryDiffError,
    NotPermittedError,
    ReasonMissingError,
)
from approvals.models import ApprovalRequest, Batch, BatchEntry
from approvals.models.together import MOST_IN_A_BATCH
from approvals.pages.telling import tell
from canonical import digests
from canonical.redaction import Redacted, ours
from checkpoints import knowing
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant, User

COUNTED: Final = ""


@dataclass(frozen=True)
class Answer:
    """One answer to many questions. `pairs` are (request id, the hash its page showed).

    `nonce` belongs to the page that was posted: the same press twice is the same batch. `without`
    is how many parts of a question the person says they decide without having opened them.
    """

    pairs: Sequence[tuple[UUID, str]]
    verdict: str
    reason: str
    nonce: UUID
    without: Mapping[UUID, int] = field(default_factory=dict)


def decide_all(answer: Answer, *, tenant: Tenant, actor: Actor, user: User) -> Batch:
    """Decide each pair by the one verb, alone; what cannot be counted is left out and named.

    Posted again, it goes on where it ended, and what was said stays. Raises ValueError for none,
    too many, or two hashes for one request, `ApprovalRequest.DoesNotExist` when one is not of this
    tenant, `NotPermittedError` for a machine, `ReasonMissingError` for a no without a reason.
    """
    if actor.kind != "person" or actor.user_id != user.pk:
        raise NotPermittedError("machine", answer.nonce)
    _check(answer, tenant)
    batch = _begin(answer, tenant, user)
    done = set(batch.entries.values_list("request_id", flat=True))
    for request_id, shown in answer.pairs:
        if request_id not in done:
            _decide_one(batch, request_id, _given(answer, request_id, shown), actor, user)
    return batch


def batch_id(answer: Answer, *, tenant: Tenant, user: User) -> UUID:
    """The identity of what was posted: who, where, from which page, and every word of it."""
    posted = {
        "tenant": tenant.pk,
        "user": user.pk,
        "nonce": str(answer.nonce),
        "verdict": answer.verdict,
        "reason": answer.reason,
        "pairs": _as_json(answer),
        "without": {str(key): number for key, number in answer.without.items()},
    }
    return uuid5(NAMESPACE_URL, digests.tagged("batch", posted))


def _check(answer: Answer, tenant: Tenant) -> None:
    ids = {request_id for request_id, _shown in answer.pairs}
    if not 1 <= len(answer.pairs) <= MOST_IN_A_BATCH or len(ids) != len(answer.pairs):
        raise ValueError(f"1 to {MOST_IN_A_BATCH} questions, each once: {len(answer.pairs)}")
    if answer.verdict != states.APPROVE and not answer.reason.strip():
        raise ReasonMissingError(f"batch {answer.nonce}: {answer.verdict} without a reason")
    if ApprovalRequest.objects.filter(tenant=tenant, pk__in=ids).count() != len(ids):
        raise ApprovalRequest.DoesNotExist


def _begin(answer: Answer, tenant: Tenant, user: User) -> Batch:
    # Insert, then read: of two presses at once both go on with the one row.
    key = batch_id(answer, tenant=tenant, user=user)
    row = Batch(
        id=key,
        tenant=tenant,
        user=user,
        verdict=answer.verdict,
        reason=str(_words(answer)),
        pairs=_as_json(answer),
    )
    Batch.objects.bulk_create([row], ignore_conflicts=True)
    return Batch.objects.get(pk=key)


def _words(answer: Answer) -> Redacted:
    ids = [request_id for request_id, _shown in answer.pairs]
    about = ApprovalRequest.objects.filter(pk__in=ids).values_list("run_id", "parameters")
    runs, parameters = {run_id for run_id, _ in about}, [bytes(each) for _, each in about]
    return knowing.words(answer.reason, of=runs, also=parameters)


def _given(answer: Answer, request_id: UUID, shown: str) -> Given:
    return Given(answer.verdict, answer.reason, shown, answer.without.get(request_id, 0))


def _decide_one(batch: Batch, request_id: UUID, given: Given, actor: Actor, user: User) -> None:
    try:
        decided = decisions.decide(request_id, given, actor=actor, user=user)
    except ApprovalError as error:
        told = tell(error)
        if isinstance(error, NotPermittedError | ContradictoryDiffError):
            subject = ours("request %(id)s", id=request_id)
            audit.refuse(batch.tenant, actor, "decide", subject, code=hiding.text(error.code))
        _keep(batch, request_id, code=told.code, told=told.text, told_at=told.at)
        return
    _keep(batch, request_id, code=COUNTED, told=_counted(decided))


def _counted(decided: ApprovalRequest) -> str:
    if decided.state == states.OPEN:
        return _("Your yes counts; it needs more before anything is sent.")
    return _("Your answer decided it.")


def _keep(batch: Batch, request_id: UUID, **said: object) -> None:
    entry = BatchEntry(batch=batch, request_id=request_id, **said)
    # The same press twice at once: what was written first stays.
    BatchEntry.objects.bulk_create([entry], ignore_conflicts=True)


def _as_json(answer: Answer) -> list[list[str]]:
    return [[str(request_id), shown] for request_id, shown in answer.pairs]
