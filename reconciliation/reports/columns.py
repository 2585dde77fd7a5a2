"""How a provider's columns are read: mapped once per tool, then the same for every report. Pure."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from canonical import money
from reconciliation.reports.files import Row

MAJOR: Final = "major"
MINOR: Final = "minor"
UNITS: Final = (MAJOR, MINOR)
POINT: Final = "."
COMMA: Final = ","
LARGEST_AMOUNT: Final = 2**53

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_KEY = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class UnreadableLineError(ValueError):
    """A line of the report does not say what its columns are mapped to say.

    Names the column and never the value, which may be about a person.
    """


@dataclass(frozen=True)
class Columns:
    """Which column says what. `reference` is where our action_id or idempotency key comes back.

    `amount` is in whole currency units ("major") or in minor ones; `decimal` is the sign before
    the fraction. A line counts as done when its `status` is one of `done`; without a status column
    every line does. "" for what the report does not say.
    """

    reference: str
    amount: str = ""
    unit: str = MAJOR
    decimal: str = POINT
    currency: str = ""
    only_currency: str = ""
    status: str = ""
    done: tuple[str, ...] = ()
    at: str = ""

    def as_json(self) -> dict[str, Any]:
        """For the record."""
        return asdict(self) | {"done": list(self.done)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "Columns":
        """As it was recorded."""
        return cls(**{**kept, "done": tuple(kept["done"])})

    def named(self) -> tuple[str, ...]:
        """The columns that a report must have."""
        every = (self.reference, self.amount, self.currency, self.status, self.at)
        return tuple(name for name in every if name)


@dataclass(frozen=True)
class Line:
    """What one line says: our ids in its reference, money in minor units, whether it was done."""

    number: int
    reference: str
    ids: tuple[UUID, ...]
    keys: tuple[bytes, ...]
    amount: int | None
    currency: str
    status: str
    done: bool
    at: datetime | None


def names_us(reference: str) -> bool:
    """Whether there is something in it that may be an id or a key of ours."""
    return bool(_ID.search(reference) or _KEY.search(reference))


def read(row: Row, columns: Columns) -> Line:
    """The line of a row. Raises `UnreadableLineError`, naming the column."""
    reference = row.values.get(columns.reference, "")
    if not reference:
        raise UnreadableLineError(f"{columns.reference!r} is empty")
    currency = (row.values.get(columns.currency, "") or columns.only_currency).upper()
    status = row.values.get(columns.status, "")
    return Line(
        number=row.number,
        reference=reference,
        ids=tuple(UUID(found) for found in _ID.findall(reference)),
        keys=tuple(bytes.fromhex(found) for found in _KEY.findall(reference)),
        amount=_amount(row, columns, currency),
        currency=currency if columns.amount else "",
        status=status,
        done=not columns.status or status.casefold() in {word.casefold() for word in columns.done},
        at=_moment(row, columns.at),
    )


def _amount(row: Row, columns: Columns, currency: str) -> int | None:
    if not columns.amount:
        return None
    said = row.values.get(columns.amount, "")
    plain = said.replace("\u2212", "-")
    if columns.decimal == COMMA:
        plain = plain.replace(",", "|").replace(".", ",").replace("|", ".")
    if _NUMBER.fullmatch(plain) is None:
        raise UnreadableLineError(f"{columns.amount!r} is no plain number")
    minor = Decimal(plain)
    if columns.unit == MAJOR:
        minor = minor.scaleb(money.decimals(currency))
    if minor != minor.to_integral_value() or abs(minor) > LARGEST_AMOUNT:
        raise UnreadableLineError(
            f"{columns.amount!r} is no whole number of the smallest unit of its currency"
        )
    return int(minor)


def _moment(row: Row, name: str) -> datetime | None:
    said = row.values.get(name, "") if name else ""
    if not said:
        return None
    try:
        at = datetime.fromtimestamp(int(said), UTC) if said.isdigit() else _iso(said)
    except (ValueError, OverflowError, OSError) as error:
        raise UnreadableLineError(f"{name!r} is no time (ISO 8601)") from error
    return at


def _iso(said: str) -> datetime:
    at = datetime.fromisoformat(said.replace(" UTC", "+00:00"))
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at
