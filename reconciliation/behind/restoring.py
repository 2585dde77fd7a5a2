"""Puts an effect that the record lost whole back into the ledger, once it is known what became of it.

It stands as one that the run left behind by going back. When the run proposes it again, one that
happened is taken from the ledger and nothing is sent; of one that did not, the place in the world
may be taken, so what is proposed then is a new generation with a question of its own.
"""

from dataclasses import dataclass
from typing import Final

from django.db.models.functions import Now

from approvals import requests
from canonical import digests
from canonical.redaction import ours
from checkpoints.models import Run
from reconciliation import states as world
from reconciliation.behind import enlisting
from reconciliation.behind.models import MissingLine
from reconciliation.errors import VerdictRefusedError
from reconciliation.journal import sealing
from reconciliation.ledger.outcomes import close
from reconciliation.models import Action, Attempt, Receipt
from tenants.actors import Actor
from tenants.keys.errors import KeyRingError

BY: Final = Actor.machine("journal")


def can(line: MissingLine) -> bool:
    """Whether the line has what the ledger needs of the effect."""
    try:
        return "parameters" in sealing.opened(str(line.line.get("sealed", "")), line.attempt_id)
    except (KeyRingError, ValueError):
        return False


@dataclass(frozen=True)
class Known:
    """What became of it: of the effect, of its attempt, how we know, and the bytes that say so."""

    outcome: str
    of_attempt: str
    because: str
    receipt: bytes = b""


def happened(because: str, receipt: bytes) -> Known:
    """It is there. `receipt` as it is kept."""
    return Known(world.HAPPENED, world.ATTEMPT_HAPPENED, because, receipt)


def did_not(because: str) -> Known:
    """It is not there, and will not be."""
    voided = because == world.VOIDED
    ended = world.ATTEMPT_VOIDED if voided else world.ATTEMPT_ABSENT
    return Known(world.DID_NOT_HAPPEN, ended, because)


def put_back(line: MissingLine, run: Run, known: Known) -> Action:
    """Inside a transaction that holds run and line: the effect, its attempt and what is known of it.

    Raises `VerdictRefusedError` when the line has too little, or the run has proposed the same
    effect anew already.
    """
    if not can(line):
        raise VerdictRefusedError("the journal's line is not enough to put the effect back")
    key = bytes.fromhex(line.line["key"])
    twin = Action.objects.select_for_update().filter(tenant=run.tenant_id, key=key, mode=run.mode)
    anew = twin.first()
    action = _action(line, run, key, known) if anew is None else _refused_unless_same(line, anew)
    attempt = _attempt(line, run, action, known)
    if anew is not None:
        # Between the restore and its being noticed the run proposed it anew: it is that effect.
        reason = ours("It was sent already, in what the record lost.")
        requests.withdraw(anew.pk, actor=BY, reason=reason)
        close(run, anew, known.outcome, because=known.because, note=reason)
    if known.receipt:
        source = "person" if known.because == world.BY_PERSON else "look_up"
        Receipt.objects.create(
            attempt=attempt,
            action=action,
            source=source,
            content=known.receipt,
            digest=bytes.fromhex(digests.sha256_hex(known.receipt)),
            fence=0,
        )
        Action.objects.filter(pk=action.pk).update(evidence_at=Now())
    return action


def _refused_unless_same(line: MissingLine, anew: Action) -> Action:
    same = bytes(anew.parameters_digest).hex() == line.line.get("parameters")
    # It may have come up to the journal, which kept it from being called.
    called = anew.attempts.exclude(outcome=world.ATTEMPT_NOT_CALLED)
    if not same or anew.stands == world.SETTLED or called.exists():
        raise VerdictRefusedError(
            "the run has proposed another effect in its place; cancel the run"
        )
    return anew


def _action(line: MissingLine, run: Run, key: bytes, known: Known) -> Action:
    kept = sealing.opened(str(line.line["sealed"]), line.attempt_id)
    parameters = kept["parameters"].encode()
    return Action.objects.create(
        id=line.action_id,
        tenant_id=run.tenant_id,
        run=run,
        mode=run.mode,
        node=kept["node"],
        ordinal=kept["ordinal"],
        generation=kept["generation"],
        key=key,
        tool=line.tool,
        tool_schema_digest=kept["schema"],
        acting_credential=line.line["credential"],
        describe=kept["describe"],
        target=line.target,
        magnitude=kept["magnitude"],
        parameters=parameters,
        parameters_digest=bytes.fromhex(digests.sha256_hex(parameters)),
        stands=world.SETTLED,
        outcome=known.outcome,
        because=known.because,
        note=str(ours("Put back from the journal: the record had lost it.")),
        proposed_seq=run.head,
        absorbed_seq=run.head,
        settled_at=Now(),
    )


def _attempt(line: MissingLine, run: Run, action: Action, known: Known) -> Attempt:
    return Attempt.objects.create(
        id=line.attempt_id,
        action=action,
        mode=action.mode,
        number=action.attempts.count() + 1,
        action_hash=str(line.line.get("hash", "")),
        fence=run.fence,
        holder=enlisting.NOBODY,
        dispatched_at=line.sent_at,
        deadline_at=line.sent_at,
        margin_seconds=0,
        outcome=known.of_attempt,
        settled_at=Now(),
        from_journal=True,
    )
