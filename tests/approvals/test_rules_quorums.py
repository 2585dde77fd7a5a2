"""Who fills what: one person one place, and as many places filled as possible."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from approvals.rules import Person, Slot, Who
from approvals.rules.quorums import enough_of, fill, helps, missing

MAY = frozenset({"approve_actions"})
PEER = Who("group", ("peers",))
MANAGER = Who("group", ("managers",))
BOTH = Person(1, "both@x", MAY, frozenset({"peers", "managers"}))
PEER_ONLY = Person(2, "peer@x", MAY, frozenset({"peers"}))
ONE_OF_EACH = (Slot(PEER, 1), Slot(MANAGER, 1))


def test_one_person_with_two_roles_fills_one_place() -> None:
    assert missing(ONE_OF_EACH, fill(ONE_OF_EACH, [BOTH])) == 1


def test_a_person_moves_to_the_place_only_they_can_fill() -> None:
    filled = fill(ONE_OF_EACH, [BOTH, PEER_ONLY])
    assert filled == [[PEER_ONLY], [BOTH]]


def test_who_helps_is_told_without_changing_anything() -> None:
    filled = fill(ONE_OF_EACH, [BOTH])
    assert helps(ONE_OF_EACH, filled, PEER_ONLY)
    assert filled == [[BOTH], []]
    assert not helps((Slot(PEER, 1),), [[BOTH]], PEER_ONLY)


def test_nobody_without_the_right_to_decide_fits_whatever_group_they_are_in() -> None:
    """A24: a group's members count only where they may decide."""
    outsider = Person(3, "out@x", frozenset(), frozenset({"peers"}))
    assert not PEER.fits(outsider)
    assert not Who("named", ("out@x",)).fits(outsider)


people = st.lists(
    st.builds(
        Person,
        st.integers(),
        st.sampled_from(["a@x", "b@x"]),
        st.sampled_from([MAY, MAY | {"manage_tenant"}, frozenset()]),
        st.frozensets(st.sampled_from(["peers", "managers"])),
    ),
    max_size=5,
    unique_by=lambda person: person.user_id,
)
slots = st.lists(
    st.builds(
        Slot,
        st.sampled_from(
            [PEER, MANAGER, Who("named", ("a@x",)), Who("permission", ("manage_tenant",))]
        ),
        st.integers(1, 2),
    ),
    min_size=1,
    max_size=2,
)


@given(slots, people)
def test_no_order_of_places_fills_more(slots: list[Slot], people: list[Person]) -> None:
    filled = fill(slots, people)
    placed = [person.user_id for there in filled for person in there]
    assert len(set(placed)) == len(placed)
    for slot, there in zip(slots, filled, strict=True):
        assert len(there) <= slot.people
        assert all(slot.who.fits(person) for person in there)
    places = [slot for slot in slots for _ in range(slot.people)]
    best = max(
        sum(slot.who.fits(person) for slot, person in zip(order, people, strict=False))
        for order in permutations(
            [*places, *[Slot(Who("named", ("no@x",)), 1)] * len(people)], len(people)
        )
    )
    assert len(placed) == best


@given(slots, people)
def test_a_few_people_fill_as_much_as_all(slots: list[Slot], people: list[Person]) -> None:
    few = enough_of(slots, people)
    assert missing(slots, fill(slots, few)) == missing(slots, fill(slots, people))
