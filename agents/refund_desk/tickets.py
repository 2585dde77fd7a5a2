"""A ticket of the tracker as the desk reads it: structured fields, the customer's words, a version."""

from dataclasses import dataclass
from typing import Any

from agents.errors import TicketMismatch, TicketUnreadable
from agents.refund_desk import systems
from agents.tools.http import answers
from agents.tools.wire.sending import Answer
from approvals.rules import pointers

Json = Any

TEXTS = (
    "title",
    "shop",
    "purchase",
    "currency",
    "customer",
    "customer_name",
    "customer_mail",
    "said",
)
CENTS = "cents"
GONE = (404, 410)
OK = 200


@dataclass(frozen=True)
class Ticket:
    """`fields` has every name of TEXTS, "" where the tracker has none, and `cents` or None."""

    version: str
    fields: dict[str, Json]


def source(number: str) -> str:
    """How fingerprints name a ticket."""
    return f"tickets/{number}"


def read(tenant: str, number: str) -> Ticket:
    """The ticket as it stands. Raises `TicketUnreadable`, `TicketMismatch` when it is gone."""
    answer = _asked(tenant, number)
    if answer.status in GONE:
        raise TicketMismatch(f"There is no ticket {number} (any more).")
    found = pointers.at(answers.content(answer), "/data/attributes")
    version = pointers.at(answers.content(answer), "/data/@etag")
    if not isinstance(found, dict) or not isinstance(version, str):
        raise TicketUnreadable(f"the tracker shows no ticket {number}: {answers.words(answer)}")
    fields: dict[str, Json] = {name: _text(found.get(name)) for name in TEXTS}
    cents = found.get(CENTS)
    fields[CENTS] = cents if isinstance(cents, int) and not isinstance(cents, bool) else None
    return Ticket(version, fields)


def version(tenant: str, number: str) -> str | None:
    """Its version alone; None when it is gone. Raises `TicketUnreadable`."""
    answer = _asked(tenant, number)
    if answer.status in GONE:
        return None
    found = pointers.at(answers.content(answer), "/data/@etag")
    if not isinstance(found, str):
        raise TicketUnreadable(f"the tracker shows no ticket {number}: {answers.words(answer)}")
    return found


def _asked(tenant: str, number: str) -> Answer:
    fields = ",".join((*TEXTS, CENTS))
    answer = systems.ask_tickets(tenant, f"/rest/data/issue/{number}?@fields={fields}&@verbose=0")
    if answer.status not in (OK, *GONE):
        raise TicketUnreadable(f"the tracker did not answer: {answers.words(answer)}")
    return answer


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
