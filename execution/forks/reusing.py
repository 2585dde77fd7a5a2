"""Taking over an effect of another run of the lineage: its answer is absorbed, nothing is sent.

The action stays the other run's: one live action per key. What this run keeps is its checkpoint,
whose header names the action and the receipt, and a row that says which effect it took over.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction

from approvals import clock
from canonical.redaction import Fact, ours
from checkpoints import commits, events, states
from checkpoints.boundaries import boundary
from checkpoints.cases import Trouble
from checkpoints.commits import Committed, Lease
from checkpoints.graph import Node
from checkpoints.headers import Ancestry, Step
from checkpoints.models import Reuse
from execution.errors import Hold, Suspend
from execution.work import WORKER, Commit
from reconciliation import ledger
from reconciliation import states as world
from reconciliation.models import Action
from tenants.keys import hiding, seeing

REUSED: Final = "reused"
KEY_IS_TAKEN: Final = "one_live_action_per_idempotency_key"
SHORTEST_WAIT: Final = timedelta(seconds=2)
LONGEST_WAIT: Final = timedelta(seconds=60)
MOST_SHOWN: Final = 16_000  # characters of proposed parameters that a case keeps to be compared


@dataclass(frozen=True)
class Taking:
    """How a node takes in what became of an action: what the header says of it, and the commit."""

    says: str
    through: Commit
    proposes: bool = False


def of_this_run(action: Action) -> Taking:
    """The usual way: this run proposed it in an earlier checkpoint."""

    def through(lease: Lease, before: Ancestry, step: Step) -> Committed:
        return ledger.absorb(lease, before, step, action)

    return Taking(f"{action.outcome}:{action.because}", through)


def of_another(action: Action) -> Taking:
    """One checkpoint proposes it and takes it in: there is nothing to ask and nothing to send.

    Raises `Suspend` while it is not over there.
    """
    if action.stands != world.SETTLED:
        raise wait_for(action)

    def through(lease: Lease, before: Ancestry, step: Step) -> Committed:
        boundary("reuse:before")
        with transaction.atomic():
            committed = commits.commit(lease, before, step)
            Reuse.objects.create(
                run_id=lease.run_id,
                seq=committed.seq,
                tenant_id=lease.tenant_id,
                action_id=action.pk,
            )
            told = hiding.texts(outcome=action.outcome, effect=action.describe)
            events.append(
                lease.run_id, "reused", WORKER, action=action.pk, run=action.run_id, **told
            )
        boundary("reuse:after")
        return committed

    return Taking(f"{REUSED}:{action.outcome}", through, proposes=True)


def wait_for(action: Action) -> Suspend:
    """The same effect is open in another run of the lineage: nothing is sent until it is over."""
    now = clock.now()
    # The sweeper wakes who waits; this is for when it does not.
    wait = min(max((now - action.proposed_at) / 10, SHORTEST_WAIT), LONGEST_WAIT)
    said = f"Waits for what becomes of the same effect in run {action.run_id}: {action.describe}"
    return Suspend(states.FOR_SAME_KEY, said, now + wait)


def unless_taken(commit: Callable[[], None]) -> None:
    """Commit a proposal; who loses the race for its key looks again at who has it."""
    try:
        commit()
    except IntegrityError as error:
        if KEY_IS_TAKEN not in str(error):
            raise
        said = "Another run of this lineage proposed the same effect at the same moment."
        raise Suspend(states.FOR_SAME_KEY, said, clock.now()) from error


def other_parameters(node: Node, proposed: Action, earlier: Action) -> Hold:
    """The same key and another effect: a person sees both, and nothing is sent."""
    said = (
        f"{node.name} proposes again what was proposed before, with other parameters; "
        f"the ledger says of the first: {earlier.outcome or earlier.stands}"
    )
    facts: dict[str, Fact] = {
        "error": ours("other parameters"),
        "earlier_run": earlier.run_id,
        "tool": hiding.text(proposed.tool),
        "target": hiding.text(proposed.target),
        "proposed": hiding.text(_shown(proposed)).first(MOST_SHOWN),
    }
    return Hold(Trouble(states.CONTRADICTED, hiding.text(said), facts, earlier.id))


def _shown(proposed: Action) -> str:
    """Canonical text, with marks for what is encrypted."""
    return str(seeing.of(proposed.tenant_id, bytes(proposed.parameters)))
