"""Who fills what: a person fills at most one slot of a rule, so one holder of two roles is one."""

from collections.abc import Iterable, Sequence

from approvals.rules.people import Person, Slot

Filled = list[list[Person]]


def fill(slots: Sequence[Slot], people: Iterable[Person]) -> Filled:
    """For each slot the people who fill it, such that as many places as possible are filled.

    Earlier people stay filled in when later ones come; only their slot may change.
    """
    filled: Filled = [[] for _ in slots]
    for person in people:
        _place(person, slots, filled, set())
    return filled


def missing(slots: Sequence[Slot], filled: Filled) -> int:
    """How many people are missing in all."""
    return sum(slot.people - len(there) for slot, there in zip(slots, filled, strict=True))


def helps(slots: Sequence[Slot], filled: Filled, person: Person) -> bool:
    """True if one place more would be filled with this person; `filled` stays as it is."""
    return _place(person, slots, [list(there) for there in filled], set())


def enough_of(slots: Sequence[Slot], people: Iterable[Person]) -> list[Person]:
    """A few of many people, who fill as many places as all of them would.

    People who fit the same slots are interchangeable: of each kind no more than all places.
    """
    most = sum(slot.people for slot in slots)
    kept: dict[tuple[bool, ...], list[Person]] = {}
    for person in people:
        fits = tuple(slot.who.fits(person) for slot in slots)
        if any(fits) and len(kept.setdefault(fits, [])) < most:
            kept[fits].append(person)
    return [person for alike in kept.values() for person in alike]


def _place(person: Person, slots: Sequence[Slot], filled: Filled, tried: set[int]) -> bool:
    """Find a place, moving others to another slot that they fit (an augmenting path)."""
    for index, slot in enumerate(slots):
        if index in tried or not slot.who.fits(person):
            continue
        tried.add(index)
        if len(filled[index]) < slot.people:
            filled[index].append(person)
            return True
        for place, other in enumerate(filled[index]):
            if _place(other, slots, filled, tried):
                filled[index][place] = person
                return True
    return False
