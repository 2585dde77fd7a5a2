"""Who may stop and who may lift: judged by the database under lock, refusals on record."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final, Literal

from canonical.redaction import Redacted
from checkpoints.errors import ProofNeededError, StopRefusedError
from tenants import access, audit, clock
from tenants.actors import Actor
from tenants.database import execute
from tenants.keys import hiding
from tenants.models import Tenant

RIGHT: Final = "operate_runs"
EVERYWHERE: Final = "SELECT kedge_who_may_everywhere(%(right)s, %(people)s)"


def who_may(tenant_id: int | None, people: Collection[int]) -> set[int]:
    """Which of these people (ids) may stop and lift at a tenant, right now; None is everywhere.

    What holds for every tenant takes the right at every tenant.
    """
    if tenant_id is not None:
        return access.who_may(tenant_id, RIGHT, people)
    rows = execute(EVERYWHERE, {"right": RIGHT, "people": list(people)})
    return {row[0] for row in rows}


def admit(tenant_id: int | None, actor: Actor) -> int:
    """The id of a person who may; anybody else is refused. Raises `StopRefusedError`."""
    if actor.kind != "person" or actor.user_id is None:
        raise StopRefusedError("machine")
    if not who_may(tenant_id, [actor.user_id]):
        raise StopRefusedError("no_right" if tenant_id is not None else "not_everywhere")
    return actor.user_id


def refuse_if_unproved(stop_id: int, actor: Actor) -> None:
    """Lifting sets going what somebody held back: who does it has just shown that it is them.

    By the clock of the database, under the lock. Raises `ProofNeededError`.
    """
    if not actor.is_proved(clock.now()):
        raise ProofNeededError(f"stop {stop_id} stands")


@contextmanager
def refusals_on_record(
    tenant: Tenant | None, actor: Actor, verb: Literal["stop", "lift"], subject: Redacted
) -> Iterator[None]:
    """Write a refusal down after its transaction, which must be inside, has rolled back."""
    try:
        yield
    except StopRefusedError as error:
        audit.refuse(tenant, actor, verb, subject, code=hiding.text(error.code))
        raise
