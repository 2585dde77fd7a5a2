"""A pace lets through once in so many seconds."""

import time

import pytest

from tenants.paces import Pace


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
