"""Who may decide by a rule: by right, by group, or by name; and the slots that they fill."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from approvals.rules.reading import Reader

Json = Any

# What everybody who decides must hold at the tenant, whatever else a rule asks of them.
DECIDING: Final = "approve_actions"
# Rights that a rule may ask for beside it. Those that only look hand no decision to anybody.
RIGHTS: Final = (
    DECIDING, "manage_tenant", "manage_releases", "operate_runs", "reconcile_actions",
)  # fmt: skip
PERMISSION: Final = "permission"
GROUP: Final = "group"
NAMED: Final = "named"

MOST_PEOPLE: Final = 20
MOST_NAMED: Final = 50
MOST_SLOTS: Final = 10
LONGEST_GROUP: Final = 150
LONGEST_EMAIL: Final = 254


@dataclass(frozen=True)
class Person:
    """What rules ask about a person: e-mail in lower case, rights at the tenant, groups.

    `groups` and `rights` hold at least those that the rules at hand name.
    """

    user_id: int
    email: str
    rights: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Who:
    """Who counts: `kind` permission, group or named; `names` one right, one group, or e-mails."""

    kind: str
    names: tuple[str, ...]

    def fits(self, person: Person) -> bool:
        """True if the person counts. The right to decide is needed in any case."""
        has = {PERMISSION: person.rights, GROUP: person.groups, NAMED: frozenset((person.email,))}
        return DECIDING in person.rights and not has[self.kind].isdisjoint(self.names)

    def as_json(self) -> dict[str, Json]:
        """As a rule writes it."""
        return {self.kind: list(self.names) if self.kind == NAMED else self.names[0]}


ANYBODY: Final = Who(PERMISSION, (DECIDING,))


@dataclass(frozen=True)
class Slot:
    """`people` distinct people of `who`, none of whom fills another slot of the same rule."""

    who: Who
    people: int

    def as_json(self) -> dict[str, Json]:
        """As a rule writes it."""
        return {"who": self.who.as_json(), "people": self.people}


@dataclass(frozen=True)
class Quorum:
    """What one rule demands of people: all its slots, each by people of its own."""

    rule: str
    slots: tuple[Slot, ...]

    @property
    def people(self) -> int:
        """How many distinct people it takes."""
        return sum(slot.people for slot in self.slots)

    def as_json(self) -> dict[str, Json]:
        """For the record."""
        return {"rule": self.rule, "slots": [slot.as_json() for slot in self.slots]}


def read_slots(reader: Reader, value: Json, path: str) -> tuple[Slot, ...]:
    """The slots of a quorum: `[{"who": …, "people": n}, …]`."""
    found = reader.items(value, path, MOST_SLOTS)
    return tuple(read_slot(reader, slot, f"{path}/{index}") for index, slot in enumerate(found))


def read_slot(reader: Reader, value: Json, path: str) -> Slot:
    """One slot. Nobody (0 people, no names) satisfies nothing, so it is refused."""
    members = reader.members(value, path, ("who", "people"))
    if not members:
        return Slot(ANYBODY, 1)
    return slot_of(reader, members, path)


def slot_of(reader: Reader, members: Mapping[str, Json], path: str) -> Slot:
    """The slot that the members `who` and `people` of an object describe."""
    who = _read_who(reader, members["who"], f"{path}/who")
    people = reader.whole(members["people"], f"{path}/people", MOST_PEOPLE)
    if who.kind == NAMED and people > len(who.names):
        said = f"asks {people} people and names {len(who.names)}."
        reader.refuse(path, said, "Name more people or ask fewer.")
    return Slot(who, people)


def _read_who(reader: Reader, value: Json, path: str) -> Who:
    members = reader.some_of(value, path, (PERMISSION, GROUP, NAMED))
    if len(members) != 1:
        if members:
            reader.refuse(path, "says more than one thing.", "Give one; use quorum for several.")
        return ANYBODY
    [(kind, said)] = members.items()
    at = f"{path}/{kind}"
    if kind == PERMISSION:
        return Who(kind, (reader.one_of(said, at, RIGHTS),))
    if kind == GROUP:
        return Who(kind, (reader.text(said, at, LONGEST_GROUP),))
    emails = [
        reader.text(email, f"{at}/{index}", LONGEST_EMAIL).lower()
        for index, email in enumerate(reader.items(said, at, MOST_NAMED))
    ]
    reader.differ(emails, at)
    return Who(kind, tuple(emails))
