"""An effect that is done again on purpose: what was sent before under the same key, and by whom."""

from django.utils.timezone import localtime

from approvals.rules import Requirement
from reconciliation import ledger, undone
from reconciliation import states as world
from reconciliation.models import Action


def sent_before(action: Action) -> list[Action]:
    """The earlier generations of an effect that happened, or of which nobody can know, oldest first."""
    if action.generation <= 1:
        return []
    keys = [
        bytes.fromhex(
            ledger.ledger_key(
                action.run, node=action.node, ordinal=action.ordinal, generation=generation
            )
        )
        for generation in range(1, action.generation)
    ]
    found = Action.objects.filter(
        tenant_id=action.tenant_id,
        key__in=keys,
        mode=action.mode,
        outcome__in=[world.HAPPENED, world.WRITTEN_OFF],
    )
    return list(found.order_by("generation"))


def lines(before: list[Action]) -> tuple[str, ...]:
    """What people read first: it was sent before, by which run, when, and what became of it."""
    return tuple(_line(each) for each in before)


def by_people(requirement: Requirement, before: list[Action]) -> Requirement:
    """No rule passes by itself what the world may have already: one person says yes."""
    return requirement.by_people() if before else requirement


def _line(action: Action) -> str:
    settled = action.settled_at
    at = f"{localtime(settled):%Y-%m-%d %H:%M} UTC" if settled else "an unknown time"
    became = "it happened" if action.outcome == world.HAPPENED else "nobody can know"
    more = " and was undone since" if undone.by(action) else ""
    return f"Done again on purpose. Sent before by run {action.run_id}, settled at {at}: {became}{more}."
