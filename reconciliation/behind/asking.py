"""Asks tools about effects that the record lost whole, with what their lines have of them.

A tool that can void makes *it did not happen* true; of another, absent is believed once even a late
arrival is over, by the database's clock and this machine's own (rules 1 and 8).
"""

from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from approvals import clock
from canonical import json as canonical
from canonical.redaction import Redacted, ours
from checkpoints import blobs
from checkpoints.registry import agents
from checkpoints.timers import boot_id, boot_seconds
from reconciliation import sensitive
from reconciliation.behind import models as of_line
from reconciliation.behind import settling
from reconciliation.behind.models import MissingLine
from reconciliation.journal import sealing
from reconciliation.models import Action
from reconciliation.tools import Absent, Call, Found, Tool, Voided
from tenants.keys import hiding, vaults

MOST: Final = 100
DONE: Final = (of_line.THERE, of_line.NOT_THERE, of_line.VOIDED, of_line.CANNOT_BE_ASKED)
Answer = Found | Absent | Voided


def due() -> list[MissingLine]:
    """Open lines whose effect the record lost whole, to be asked about now; longest unasked first."""
    again = Now() - timedelta(seconds=settings.KEDGE_ASK_AGAIN_SECONDS)
    lost = MissingLine.objects.filter(became=of_line.OPEN).exclude(lacks=of_line.ATTEMPT)
    open_ones = lost.exclude(found__in=DONE).filter(Q(asked_at=None) | Q(asked_at__lt=again))
    return list(open_ones.select_related("tenant").order_by("asked_at", "pk")[:MOST])


def ask(line: MissingLine) -> str:
    """Ask the tool, keep what it said, and settle what that settles; returns what was found."""
    _first_asked(line)
    if line.tenant_id is None:
        return _keep(line, _asked(line))
    with vaults.bound(line.tenant_id):
        return _keep(line, _asked(line))


def _asked(line: MissingLine) -> Answer | Exception | None:
    """What the tool says; an exception is silence, None means that nobody can be asked."""
    if line.tool not in agents().TOOLS:
        return None
    tool: Tool = agents().TOOLS[line.tool]
    try:
        call = _call(line, tool)
        return None if call is None else _said(line, tool, call)
    except Exception as silence:  # whatever it raises, it is no answer
        return silence


def _said(line: MissingLine, tool: Tool, call: Call) -> Answer | None:
    can = tool.capabilities_for(call.tenant, call.parameters)
    if not (can.void or can.look_up):
        return None
    answer = tool.look_up(call)
    # Never before a late arrival is over: whoever sent it may be alive, and this a clone.
    if can.void and isinstance(answer, Absent) and _is_over(line):
        return tool.void(call)
    return answer


def _call(line: MissingLine, tool: Tool) -> Call | None:
    try:
        kept = sealing.opened(str(line.line.get("sealed", "")), line.attempt_id)
    except ValueError:
        return None
    if "parameters" not in kept or line.tenant_id is None:
        return None
    content = vaults.vault_of(line.tenant_id).decrypted_bytes(kept["parameters"].encode())
    return Call(
        action_id=str(line.action_id),
        attempt_id=str(line.attempt_id),
        key=str(line.line["key"]),
        tenant=line.tenant.slug if line.tenant else "",
        parameters=canonical.loads_object(content),
        parameter_bytes=content,
        budget_seconds=tool.budget_seconds,
        read_blob=partial(blobs.get, line.tenant_id),
    )


def _keep(line: MissingLine, answer: Answer | Exception | None) -> str:
    found, said, receipt = _meant(line, answer)
    MissingLine.objects.filter(pk=line.pk, became=of_line.OPEN).update(
        found=found, said=str(said)[:2000], asked_at=Now()
    )
    line.refresh_from_db()
    settling.by_tool(line, receipt)
    return found


def _meant(line: MissingLine, answer: Answer | Exception | None) -> tuple[str, Redacted, bytes]:
    if answer is None:
        return (
            of_line.CANNOT_BE_ASKED,
            ours("The tool cannot be asked with what the line has."),
            b"",
        )
    if isinstance(answer, Exception):
        said = hiding.text(f"{type(answer).__name__}: {answer}")
        return of_line.UNANSWERED, said, b""
    if isinstance(answer, Found):
        asked_for = Action(tenant_id=line.tenant_id or 0, tool=line.tool)
        receipt = sensitive.found(asked_for, answer).receipt
        return of_line.THERE, ours("It is there %(n)s times.", n=answer.count), receipt
    if isinstance(answer, Voided):
        return of_line.VOIDED, ours("It is not there, and its place is taken for good."), b""
    if _is_over(line):
        return of_line.NOT_THERE, ours("It is not there, and a late arrival is over."), b""
    return of_line.UNANSWERED, ours("It is not there yet; a late arrival is not over."), b""


def _first_asked(line: MissingLine) -> None:
    """This machine's own clock begins to count; another machine's says nothing here."""
    if line.boot_id != boot_id():
        MissingLine.objects.filter(pk=line.pk).update(
            boot_id=boot_id(), boot_seconds=boot_seconds()
        )
        line.refresh_from_db()


def _is_over(line: MissingLine) -> bool:
    tool: Any = agents().TOOLS[line.tool]
    window = tool.budget_seconds + tool.margin_seconds
    own = line.boot_seconds is not None and boot_seconds() - line.boot_seconds >= window
    return own and clock.now() > line.noticed_at + timedelta(seconds=window)
