"""The database's clock, which alone decides what has expired."""

from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import DateTimeField, Func


class ClockTimestamp(Func):
    """`clock_timestamp()`: moves on inside a transaction, where `now()` stands still."""

    function = "clock_timestamp"
    arity = 0
    output_field = DateTimeField()


NOW: Final = "SELECT clock_timestamp()"


def now() -> datetime:
    """What the database's clock says at this moment."""
    with connection.cursor() as cursor:
        cursor.execute(NOW)
        moment: datetime = cursor.fetchone()[0]
    return moment
