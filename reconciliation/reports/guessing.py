"""A first guess of what the columns of a report mean, for a person to look at. Pure."""

import re
from typing import Final

from reconciliation.reports.columns import Columns, names_us
from reconciliation.reports.files import Row, Table

LOOKED_AT: Final = 50
CALLED: Final = {
    "reference": re.compile(r"idempoten|reference|\bref\b|external|metadata", re.IGNORECASE),
    "amount": re.compile(r"amount|betrag|total|gross|cents", re.IGNORECASE),
    "currency": re.compile(r"currency|waehrung|währung", re.IGNORECASE),
    "status": re.compile(r"status|state|result", re.IGNORECASE),
    "at": re.compile(r"created|date|time|booked|\bat\b", re.IGNORECASE),
}
DONE: Final = ("succeeded", "success", "paid", "completed", "complete", "done", "settled", "ok")


def guess(table: Table) -> Columns:
    """What the columns most likely mean; "" where nothing looks like it."""
    found = {meaning: _called(table, meaning) for meaning in CALLED}
    rows = table.rows[:LOOKED_AT]
    reference = _with_our_ids(table, rows) or found["reference"]
    said = {row.values.get(found["status"], "").casefold() for row in rows}
    return Columns(
        reference=reference,
        amount=found["amount"],
        currency=found["currency"],
        status=found["status"],
        done=tuple(word for word in DONE if word in said) if found["status"] else (),
        at=found["at"],
    )


def _called(table: Table, meaning: str) -> str:
    return next((name for name in table.columns if CALLED[meaning].search(name)), "")


def _with_our_ids(table: Table, rows: tuple[Row, ...]) -> str:
    """The column in which most lines have something that may be an id of ours."""
    counted = {
        name: sum(names_us(row.values.get(name, "")) for row in rows) for name in table.columns
    }
    best = max(counted, key=lambda name: counted[name], default="")
    return best if best and counted[best] else ""
