"""When a message may go out: digests, quiet hours past midnight, and clocks that change."""

from datetime import UTC, datetime, time

import pytest

from tenants.notifications.schedule import Wish, not_before


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def by_night(digest: str = "at_once") -> Wish:
    return Wish(digest, quiet_from=time(22), quiet_until=time(7), zone="Europe/Berlin")


@pytest.mark.parametrize(
    ("wish", "now", "then"),
    [
        (Wish(), "2026-11-29 13:20:30", "2026-11-29 13:20:30"),
        (Wish("hourly"), "2026-11-29 13:20:30", "2026-11-29 14:00"),
        (Wish("hourly"), "2026-11-29 13:00", "2026-11-29 14:00"),
        (Wish("daily"), "2026-11-29 07:59", "2026-11-29 08:00"),
        (Wish("daily"), "2026-11-29 08:00", "2026-11-30 08:00"),
        (Wish("daily", zone="Asia/Tokyo"), "2026-11-29 13:20", "2026-11-29 23:00"),
        (by_night(), "2026-11-29 20:59", "2026-11-29 20:59"),
        (by_night(), "2026-11-29 21:00", "2026-11-30 06:00"),
        (by_night(), "2026-11-30 05:59", "2026-11-30 06:00"),
        (by_night(), "2026-11-30 06:00", "2026-11-30 06:00"),
        # The clocks of Berlin went forward that night: seven o'clock came an hour earlier.
        (by_night(), "2026-03-28 22:00", "2026-03-29 05:00"),
        # And back: it came an hour later.
        (by_night(), "2026-10-24 22:00", "2026-10-25 06:00"),
        # Half past two is not there that night; what was meant comes once, and not before now.
        (
            Wish(quiet_from=time(0), quiet_until=time(2, 30), zone="Europe/Berlin"),
            "2026-03-29 00:30",
            "2026-03-29 01:30",
        ),
        (by_night("hourly"), "2026-11-29 20:30", "2026-11-30 06:00"),
        (Wish(quiet_from=time(9), quiet_until=time(9)), "2026-11-29 09:00", "2026-11-29 09:00"),
        (Wish("daily", zone="No/Where"), "2026-11-29 09:00", "2026-11-30 08:00"),
    ],
    ids=str,
)
def test_a_message_goes_out_then(wish: Wish, now: str, then: str) -> None:
    assert not_before(wish, at(now)) == at(then)
