"""How times and spans of time are printed: one place, always UTC, always with the zone."""

from datetime import UTC, datetime

from django.utils.translation import gettext as _

TENTHS_BELOW = 10
MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def moment(when: datetime) -> str:
    """Day, time and zone: "2026-11-29 13:20:11 UTC". Raises ValueError for a time without a zone."""
    return f"{_in_utc(when):%Y-%m-%d %H:%M:%S} UTC"


def day(when: datetime) -> str:
    """The day in UTC: "2026-11-29"."""
    return f"{_in_utc(when):%Y-%m-%d}"


def clock(when: datetime) -> str:
    """The time alone, "13:20:11", for rows under a heading that names day and zone."""
    return f"{_in_utc(when):%H:%M:%S}"


def age(when: datetime, now: datetime) -> str:
    """How long ago ("4 min ago") or how far ahead ("in 2 h 4 min"), in whole units, cut not rounded."""
    seconds = int((_in_utc(now) - _in_utc(when)).total_seconds())
    if seconds == 0:
        return _("now")
    if seconds > 0:
        return _("%(span)s ago") % {"span": _coarse(seconds)}
    return _("in %(span)s") % {"span": _coarse(-seconds)}


def span(seconds: float) -> str:
    """A duration: "850 ms", "1.2 s", "42 s", "4 min 10 s", "2 h 4 min", "3 d 4 h"."""
    if seconds < 1:
        return _("%(n)d ms") % {"n": int(seconds * 1000)}
    if seconds < TENTHS_BELOW:
        return _("%(n)s s") % {"n": f"{int(seconds * 10) / 10:g}"}
    whole = int(seconds)
    if whole < MINUTE or whole >= HOUR:
        return _coarse(whole)
    return _pair(_coarse(whole), whole % MINUTE, _("%(n)d s"))


def _coarse(seconds: int) -> str:
    if seconds < MINUTE:
        return _("%(n)d s") % {"n": seconds}
    if seconds < HOUR:
        return _("%(n)d min") % {"n": seconds // MINUTE}
    if seconds < DAY:
        hours = _("%(n)d h") % {"n": seconds // HOUR}
        return _pair(hours, seconds % HOUR // MINUTE, _("%(n)d min"))
    days = _("%(n)d d") % {"n": seconds // DAY}
    return _pair(days, seconds % DAY // HOUR, _("%(n)d h"))


def _pair(larger: str, rest: int, smaller: str) -> str:
    return f"{larger} {smaller % {'n': rest}}" if rest else larger


def _in_utc(when: datetime) -> datetime:
    if when.tzinfo is None:
        raise ValueError(f"{when} has no zone; every time here says which zone it is in")
    return when.astimezone(UTC)
