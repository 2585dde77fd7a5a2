"""When a person may be told something: at once, each full hour or each morning, never in quiet hours.

Pure: the same wish and moment give the same answer.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

AT_ONCE: Final = "at_once"
HOURLY: Final = "hourly"
DAILY: Final = "daily"
MORNING: Final = time(8)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Wish:
    """How somebody wants to be told; quiet hours are times of day in `zone`, both or neither."""

    digest: str = AT_ONCE
    quiet_from: time | None = None
    quiet_until: time | None = None
    zone: str = "UTC"


def not_before(wish: Wish, now: datetime) -> datetime:
    """The first moment (UTC) from `now` on at which a message may go out."""
    zone = _zone(wish.zone)
    at = now.astimezone(UTC)
    if wish.digest == HOURLY:
        at = at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    elif wish.digest == DAILY:
        at = _next(MORNING, at, zone)
    return _after_quiet(wish, at, zone)


def _after_quiet(wish: Wish, at: datetime, zone: ZoneInfo) -> datetime:
    begin, end = wish.quiet_from, wish.quiet_until
    if begin is None or end is None or begin == end:
        return at
    clock = at.astimezone(zone).time()
    quiet = begin <= clock < end if begin < end else clock >= begin or clock < end
    return _next(end, at, zone) if quiet else at


def _next(clock: time, after: datetime, zone: ZoneInfo) -> datetime:
    """The next moment strictly after `after` at which the clocks in `zone` show `clock`."""
    day = after.astimezone(zone).date()
    days = [day, day + DAY, day + 2 * DAY]  # clocks that go forward can skip it once
    found = [datetime.combine(each, clock, tzinfo=zone).astimezone(UTC) for each in days]
    return next(at for at in found if at > after)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")  # a zone this machine does not know delays nothing
