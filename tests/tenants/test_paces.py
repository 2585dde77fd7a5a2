"""A pace lets through once in so many seconds; turns leave nobody out."""

import time

import pytest

from tenants.models import Tenant
from tenants.paces import Pace, Turns
from tests.people import make_tenant


def test_it_lets_through_at_once_and_then_once_in_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pace = Pace()
    asked = []
    for now[0] in (5.0, 14.9, 15.0, 24.9, 25.0):
        asked.append(pace.is_time(10))
    assert asked == [True, False, True, False, True]
    assert not pace.is_time(10)
    pace.forget()
    assert pace.is_time(10)


@pytest.mark.django_db
def test_what_is_too_much_for_one_round_has_its_turn_in_the_next_and_from_the_start_again() -> None:
    keys = [make_tenant(f"t{n}").pk for n in range(5)]
    turns, all_of_them = Turns(), Tenant.objects.filter(pk__in=keys)
    rounds = [turns.part(all_of_them, 2) for _ in range(3)]
    assert rounds == [keys[:2], keys[2:4], [keys[4], keys[0]]]
    assert sorted(turns.part(all_of_them, 100)) == keys
    assert turns.part(all_of_them.none(), 2) == []
    assert turns.part(all_of_them, 2) == keys[:2]
