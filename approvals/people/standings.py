"""Where a request stands with people: what is demanded, who gave it, and who can still give it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from approvals import judging
from approvals.models import ApprovalRequest, Decision
from approvals.people import deciders
from approvals.rules import Person, Quorum, Requirement, Slot, Who, quorums
from tenants.models import User

MOST_PEOPLE: Final = 50


@dataclass(frozen=True)
class Part:
    """One demanded part: `people` distinct people of `who`, as the rule named `rule` asks.

    `given` are those whose yes counts for it now. `can_give` are people who may decide, have not
    yet, and fit it: at most `MOST_PEOPLE` of `can_give_count`, none once nothing is missing.
    """

    rule: str
    who: Who
    people: int
    given: tuple[User, ...]
    can_give: tuple[User, ...]
    can_give_count: int

    @property
    def missing(self) -> int:
        """How many are missing for this part."""
        return self.people - len(self.given)


@dataclass(frozen=True)
class Standing:
    """The whole of it. Every part must be filled; within one rule a person fills one place only.

    `needed` people at least, of whom `yes` have given theirs; `missing` is how many more there
    must be at least. `can_help` are the people whose yes would bring it nearer, at most
    `MOST_PEOPLE` of `can_help_count`. `is_possible` is False when all of them together would not
    be enough: then somebody must be given a right or a group. `unproved` could help too, if they had a
    password or second factor here to show that it is them. `automatic` names the rule by which
    it passed without people; then there are no parts.
    """

    requirement: Requirement
    parts: tuple[Part, ...]
    yes: int
    missing: int
    can_help: tuple[User, ...]
    can_help_count: int
    is_possible: bool
    unproved: tuple[User, ...] = ()

    @property
    def needed(self) -> int:
        """How many distinct people must say yes, at least."""
        return self.requirement.approvers

    @property
    def automatic(self) -> str:
        """The rule by which it passed without people, "" when people decide."""
        return self.requirement.automatic

    @property
    def is_enough(self) -> bool:
        """True when nothing is missing."""
        return self.missing == 0


def standing_of(request: ApprovalRequest) -> Standing:
    """What the request demands, part by part, with the people by name. For pages; locks nothing.

    Raises `DamagedRequestError`. The check under the locks is `judging.is_enough`.
    """
    requirement = judging.demands(request)
    if requirement.automatic:
        return Standing(requirement, (), 0, 0, (), 0, is_possible=True)
    asked = deciders.asked(request, requirement)
    able = {user.pk for user in deciders.provable(requirement, asked)}
    given = deciders.yes(request, requirement)
    answered = set(Decision.objects.filter(request=request).values_list("user_id", flat=True))
    waiting = [user for user in asked if user.pk not in answered]
    open_to = [user for user in waiting if user.pk in able]
    users = {user.pk: user for user in asked}
    people = deciders.of_users(request.tenant_id, requirement, open_to)
    demanded = requirement.parts()
    filled = [quorums.fill(quorum.slots, given) for quorum in demanded]
    helping = _helping(demanded, filled, people)
    still = max(
        requirement.approvers - len(given),
        *(quorums.missing(each.slots, there) for each, there in zip(demanded, filled, strict=True)),
    )
    return Standing(
        requirement=requirement,
        parts=tuple(
            _part(quorum.rule, slot, there, (people, users))
            for quorum, by_slot in zip(demanded, filled, strict=True)
            for slot, there in zip(quorum.slots, by_slot, strict=True)
        ),
        yes=len(given),
        missing=max(0, still),
        can_help=tuple(users[person.user_id] for person in helping[:MOST_PEOPLE]),
        can_help_count=len(helping),
        is_possible=satisfies(requirement, [*given, *people]),
        unproved=tuple(user for user in waiting if user.pk not in able)[:MOST_PEOPLE],
    )


def satisfies(requirement: Requirement, people: Sequence[Person]) -> bool:
    """True if these people, all saying yes, would be enough."""
    return len([person for person in people if requirement.counts(person)]) >= (
        requirement.approvers
    ) and all(can_fill(quorum, people) for quorum in requirement.quorums)


def can_fill(quorum: Quorum, people: Sequence[Person]) -> bool:
    """True if these people fill all places of one rule, each one place."""
    few = quorums.enough_of(quorum.slots, people)
    return not quorums.missing(quorum.slots, quorums.fill(quorum.slots, few))


def _helping(
    demanded: Sequence[Quorum], filled: Sequence[quorums.Filled], people: Sequence[Person]
) -> list[Person]:
    return [
        person
        for person in people
        if any(
            quorums.helps(quorum.slots, there, person)
            for quorum, there in zip(demanded, filled, strict=True)
        )
    ]


def _part(
    rule: str,
    slot: Slot,
    there: Sequence[Person],
    among: tuple[Sequence[Person], Mapping[int, User]],
) -> Part:
    people, users = among
    is_missing = len(there) < slot.people
    fitting = [person for person in people if is_missing and slot.who.fits(person)]
    return Part(
        rule=rule,
        who=slot.who,
        people=slot.people,
        given=tuple(users[person.user_id] for person in there if person.user_id in users),
        can_give=tuple(users[person.user_id] for person in fitting[:MOST_PEOPLE]),
        can_give_count=len(fitting),
    )
