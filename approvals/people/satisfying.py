"""Can the people of a tenant satisfy what the rules demand? Asked before anybody is asked."""

from collections.abc import Sequence
from typing import Final

from approvals.people import deciders, standings
from approvals.rules import Person, Requirement
from approvals.rules.people import GROUP, NAMED, PERMISSION, Quorum, Slot
from checkpoints.models import Run

WORDS: Final = {
    PERMISSION: "with the right {names}",
    GROUP: "of the group “{names}”",
    NAMED: "named {names}",
}


def impossible(requirement: Requirement, run: Run) -> str:
    """Why this demand cannot be met for a run, naming the rule and the people; "" when it can."""
    if requirement.automatic:
        return ""
    people = deciders.able(
        run.tenant_id,
        requirement,
        starter_id=run.started_by_id,
        on_behalf_of=run.on_behalf_of,
    )
    return shortfall(requirement, people)


def shortfall(requirement: Requirement, people: Sequence[Person]) -> str:
    """What is missing if all these people said yes, as a sentence; "" when it would be enough."""
    if standings.satisfies(requirement, people):
        return ""
    for quorum in requirement.parts():
        told = _of_quorum(quorum, people)
        if told:
            return told
    return f"{_rule(requirement.rules)} cannot be satisfied: too few people may decide."


def _of_quorum(quorum: Quorum, people: Sequence[Person]) -> str:
    for slot in quorum.slots:
        fitting = [person for person in people if slot.who.fits(person)]
        if len(fitting) < slot.people:
            return _too_few(quorum, slot, len(fitting))
    if not standings.can_fill(quorum, people):
        return (
            f"{_rule((quorum.rule,))} takes {quorum.people} different people, and one person "
            "fills one place only."
        )
    return ""


def _too_few(quorum: Quorum, slot: Slot, there: int) -> str:
    who = WORDS[slot.who.kind].format(names=", ".join(slot.who.names))
    asks = f"The rule “{quorum.rule}” asks" if quorum.rule else "The rules ask"
    return (
        f"{asks} {slot.people} {who} who may decide here and did not start "
        f"the run, and there {'is' if there == 1 else 'are'} {there or 'none'}."
    )


def _rule(names: Sequence[str]) -> str:
    return f"The rule “{names[0]}”" if names and names[0] else "One rule"
