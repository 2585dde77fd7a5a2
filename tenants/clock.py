"""The database's clock, which alone decides what has expired and what is fresh."""

from datetime import datetime
from typing import Final

from django.db.models import DateTimeField, Func

from tenants.database import execute


class ClockTimestamp(Func):
    """`clock_timestamp()`: moves on inside a transaction, where `now()` stands still."""

    function = "clock_timestamp"
    arity = 0
    output_field = DateTimeField()


NOW: Final = "SELECT clock_timestamp()"


def now() -> datetime:
    """What the database's clock says at this moment."""
    moment: datetime = execute(NOW, {})[0][0]
    return moment
