"""How counts, sizes and identities are printed."""

import uuid

from django.utils.translation import gettext as _

STEP = 1024
UNITS = ("KiB", "MiB", "GiB", "TiB")
SHORT = 8


def count(number: int | None, at_most: int | None = None) -> str:
    """Thousands grouped: "1,204". With a bound on what was counted, "10,000+" when it was passed; "?" for None."""
    if number is None:
        return "?"
    if at_most is not None and number > at_most:
        return f"{at_most:,}+"
    return f"{number:,}"


def size(number: int) -> str:
    """Bytes in words: "512 bytes", "1.4 KiB", "2 MiB"."""
    if number < STEP:
        return _("%(n)d bytes") % {"n": number}
    value = float(number)
    unit = ""
    for name in UNITS:
        value, unit = value / STEP, name
        if value < STEP:
            break
    return f"{int(value * 10) / 10:g} {unit}"


def short(identity: object) -> str:
    """Eight characters that tell an id or a digest from its neighbours.

    The first eight, except for a UUID of version 7: it starts with the time, so that all runs of
    one minute begin alike; there the last eight, after an ellipsis.
    """
    text = str(identity)
    if len(text) <= SHORT:
        return text
    return f"…{text[-SHORT:]}" if _starts_with_time(text) else text[:SHORT]


def _starts_with_time(text: str) -> bool:
    try:
        return uuid.UUID(text).version == 7  # noqa: PLR2004 - the version number itself
    except ValueError:
        return False
