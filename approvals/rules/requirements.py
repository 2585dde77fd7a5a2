"""What the rules demand of people before one effect may happen, as it stands in the record."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from approvals.rules import classes, secondlooks
from approvals.rules.people import (
    ANYBODY,
    DECIDING,
    MOST_PEOPLE,
    MOST_SLOTS,
    Person,
    Quorum,
    Slot,
    Who,
    read_slots,
)
from approvals.rules.reading import Reader, UnreadableRulesError

Json = Any

LONGEST_EXPIRY_SECONDS: Final = 30 * 24 * 3600
LONGEST_NAME: Final = 64
MOST_RULES: Final = 500

ALWAYS: Final = ("approvers", "not_starter", "permission", "expires_after_seconds")
SOMETIMES: Final = (
    "quorums", "rules", "reauthenticate", "open_all", "second_look", "reversibility", "automatic",
)  # fmt: skip


@dataclass(frozen=True)
class Requirement:
    """What must be true of the people before the effect may happen.

    `approvers` distinct people with `permission` at the tenant, none of them the one who started
    the run; `expires_after_seconds` from the question on. `quorums`: each must be filled as well,
    and only people who fit one are asked; empty when anybody with the right may decide.
    `rules` names the rules that ask. `reversibility` is the class of the tool at the tenant ("" in
    requirements of rules_schema 1). `open_all`: nobody says yes without opening all that is shown.
    `second_look`: what of `secondlooks.KINDS` a model's second look is to be asked for ("": none).
    `automatic` names the rule by which it passes without a
    person; then, and only then, `approvers` is 0.
    """

    approvers: int
    not_starter: bool
    permission: str
    expires_after_seconds: int
    quorums: tuple[Quorum, ...] = ()
    rules: tuple[str, ...] = ()
    reauthenticate: bool = False
    reversibility: str = ""
    automatic: str = ""
    open_all: bool = False
    second_look: str = ""

    def parts(self) -> tuple[Quorum, ...]:
        """All demands, the plain one too: any so many people with the right."""
        if self.automatic:
            return ()
        rule = self.rules[0] if self.rules else ""
        return self.quorums or (Quorum(rule, (Slot(ANYBODY, self.approvers),)),)

    def counts(self, person: Person) -> bool:
        """True if a yes of this person can count towards any part."""
        return any(slot.who.fits(person) for part in self.parts() for slot in part.slots)

    def names(self, kind: str) -> tuple[str, ...]:
        """What the parts name of this kind (permission, group, named), each once, in order."""
        return names_in(self.parts(), kind)

    def by_people(self) -> "Requirement":
        """The same for what may not pass by itself a second time: one person must say yes."""
        return replace(self, approvers=1, automatic="") if self.automatic else self

    def as_json(self) -> dict[str, Json]:
        """For the record; what is not said is left out."""
        always = {name: getattr(self, name) for name in ALWAYS}
        said = {name: getattr(self, name) for name in SOMETIMES if getattr(self, name)}
        if self.quorums:
            said["quorums"] = [quorum.as_json() for quorum in self.quorums]
        if self.rules:
            said["rules"] = list(self.rules)
        return always | said

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> "Requirement":
        """From the record. Raises `UnreadableRulesError` when it demands less than one person."""
        reader = Reader()
        members = reader.members(value, "", ALWAYS, SOMETIMES)
        found = _read(reader, members) if members else None
        if found is None or reader.problems:
            raise UnreadableRulesError(" ".join(str(problem) for problem in reader.problems))
        return found


def names_in(quorums: Sequence[Quorum], kind: str) -> tuple[str, ...]:
    """What these quorums name of a kind (`PERMISSION`, `GROUP`, `NAMED`), each once, in order."""
    slots = [slot for quorum in quorums for slot in quorum.slots]
    return tuple(
        dict.fromkeys(n for slot in slots if slot.who.kind == kind for n in slot.who.names)
    )


def covers(stored: Requirement, now: Requirement) -> bool:
    """True if whoever satisfies `stored` satisfies `now`: an answer to it still is an answer.

    What the rules demand may move while a question waits: a window's sum grows, a class changes.
    """
    if classes.danger(stored.reversibility) < classes.danger(now.reversibility):
        return False
    if now.automatic:
        return True  # whatever its life time: a pass could be given anew at any moment
    if stored.expires_after_seconds > now.expires_after_seconds:
        return False
    return (
        not stored.automatic
        and stored.approvers >= now.approvers
        and stored.permission == now.permission
        and (stored.reauthenticate or not now.reauthenticate)
        and (stored.open_all or not now.open_all)
        and secondlooks.rank(stored.second_look) >= secondlooks.rank(now.second_look)
        and all(any(_holds(have, want) for have in stored.parts()) for want in now.quorums)
    )


def _holds(have: Quorum, want: Quorum) -> bool:
    """Slots of the same kind of people count together: each takes people of its own anyway."""
    there, wanted = _by_kind(have), _by_kind(want)
    return all(there[who] >= people for who, people in wanted.items())


def _by_kind(quorum: Quorum) -> Counter[Who]:
    found: Counter[Who] = Counter()
    for slot in quorum.slots:
        found[slot.who] += slot.people
    return found


def _read(reader: Reader, members: Mapping[str, Json]) -> Requirement:
    automatic = _name(reader, members, "automatic")
    least = 0 if automatic else 1
    quorums = _quorums(reader, members.get("quorums", []))
    approvers = reader.whole(
        members["approvers"], "/approvers", MOST_PEOPLE * MOST_SLOTS, least=least
    )
    if automatic and (approvers or quorums):
        reader.refuse("/automatic", "passes without people and demands some.", "Ask again.")
    if any(quorum.people > approvers for quorum in quorums):
        reader.refuse("/approvers", "are fewer than its quorums take.", "Ask again.")
    if members["not_starter"] is not True:
        reader.refuse("/not_starter", "must be true: nobody approves their own run.", "Say true.")
    return Requirement(
        approvers=approvers,
        not_starter=True,
        permission=reader.one_of(members["permission"], "/permission", (DECIDING,)),
        expires_after_seconds=reader.whole(
            members["expires_after_seconds"], "/expires_after_seconds", LONGEST_EXPIRY_SECONDS
        ),
        quorums=quorums,
        rules=_names(reader, members.get("rules", [])),
        reauthenticate=reader.flag(members.get("reauthenticate", False), "/reauthenticate"),
        open_all=reader.flag(members.get("open_all", False), "/open_all"),
        second_look=_second_look(reader, members),
        reversibility=_class(reader, members),
        automatic=automatic,
    )


def _quorums(reader: Reader, value: Json) -> tuple[Quorum, ...]:
    found = []
    for index, quorum in enumerate(reader.items(value, "/quorums", MOST_RULES, least=0)):
        at = f"/quorums/{index}"
        members = reader.members(quorum, at, ("rule", "slots"))
        if members:
            rule = reader.text(members["rule"], f"{at}/rule", LONGEST_NAME)
            found.append(Quorum(rule, read_slots(reader, members["slots"], f"{at}/slots")))
    return tuple(found)


def _names(reader: Reader, value: Json) -> tuple[str, ...]:
    found = reader.items(value, "/rules", MOST_RULES, least=0)
    return tuple(reader.text(name, f"/rules/{at}", LONGEST_NAME) for at, name in enumerate(found))


def _name(reader: Reader, members: Mapping[str, Json], member: str) -> str:
    if member not in members:
        return ""
    return reader.text(members[member], f"/{member}", LONGEST_NAME)


def _second_look(reader: Reader, members: Mapping[str, Json]) -> str:
    if "second_look" not in members:
        return secondlooks.NONE
    return reader.one_of(members["second_look"], "/second_look", secondlooks.KINDS)


def _class(reader: Reader, members: Mapping[str, Json]) -> str:
    if "reversibility" not in members:
        return ""
    return reader.one_of(members["reversibility"], "/reversibility", classes.CLASSES)
