"""What pages say about a request: where it stands, what follows a decision, how large it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import clock, states
from approvals.models import ApprovalRequest
from approvals.rules import Who
from approvals.rules.people import ANYBODY, GROUP, NAMED, PERMISSION
from canonical import display, money
from checkpoints import graph
from checkpoints import states as runs
from checkpoints.errors import UnknownTaskTypeError
from checkpoints.registry import graph_of
from tenants.amounts import count
from tenants.models import Tenant


@dataclass(frozen=True)
class Follows:
    """What happens after each button, said before it is pressed."""

    approve: str
    reject: str
    send_back: str


def standing(request: ApprovalRequest, *, yes: int, needed: int, is_replaced: bool = False) -> str:
    """Where the request stands, in one or two sentences; `is_replaced` by a newer question."""
    who = {"who": request.closed_by, "why": request.closed_because}
    if is_over(request):
        return _("Its time is over, so it is void. Nothing is sent.")
    if request.state == states.OPEN:
        return _open(yes, needed)
    if request.state == states.APPROVED:
        return _approved(request)
    if request.state == states.WITHDRAWN and is_replaced:
        return _("Another question stands in place of this one: “%(why)s” Nothing was sent.") % who
    told = {
        states.USED: _("%(who)s approved this, and it was sent once."),
        states.REJECTED: _("%(who)s rejected this: “%(why)s” Nothing was sent."),
        states.SENT_BACK: _("%(who)s sent this back: “%(why)s” Nothing was sent."),
        states.EXPIRED: _("Nobody used it in time, so it is void. Nothing was sent."),
        states.WITHDRAWN: _("%(who)s withdrew this: “%(why)s” Nothing was sent under it."),
    }
    return told[request.state] % who


def asked_anew(request: ApprovalRequest) -> str:
    """What stands on a question that somebody closed, until the new one is there."""
    return _(
        "%(who)s had the dry run made again: “%(why)s” Nothing was sent. The new question opens "
        "from here."
    ) % {"who": request.closed_by, "why": request.closed_because}


def is_over(request: ApprovalRequest) -> bool:
    """True once its time is over by the database's clock, whether or not the sweeper came by."""
    return request.state in states.LIVE and request.expires_at <= clock.now()


def follows(request: ApprovalRequest, *, still_missing: int) -> Follows:
    """What each button leads to for this run; `still_missing` counts the yes of this person."""
    if still_missing > 1:
        approve = ngettext(
            "Your yes counts, and %(n)s more is needed before anything is sent.",
            "Your yes counts, and %(n)s more are needed before anything is sent.",
            still_missing - 1,
        ) % {"n": still_missing - 1}
    else:
        approve = _(
            "A worker makes the dry run once more. If it shows exactly this, it is sent, once. "
            "If anything has moved, nothing is sent and people are asked again."
        )
    handled = _handled(request)
    ends = _("Nothing is sent. The run ends: it has no way on after this answer.")
    reject = _("Nothing is sent. The run hears your reason and goes on without it.")
    send_back = _("Nothing is sent. The run hears your note and may propose something else.")
    if handled is not None:
        reject = reject if graph.REJECTED in handled else ends
        send_back = send_back if graph.SENT_BACK in handled else ends
    return Follows(approve, reject, send_back)


def magnitude(size: Mapping[str, Any]) -> str:
    """How much an effect touches: "120.00 EUR, 1 recipient, 5 files, 40 lines"."""
    words = []
    if size.get("amount"):
        words.append(money.text(int(size["amount"]), str(size.get("currency", ""))))
    words += [_counted(name, number) for name, number in size.items() if name in COUNTED]
    return ", ".join(words) or _("not measured")


def together(sums: Mapping[str, int], counts: Mapping[str, int]) -> list[str]:
    """What many effects touch: each currency by itself, then each kind of thing that is counted."""
    parts = [money.text(amount, currency) for currency, amount in sorted(sums.items())]
    return parts + [_counted(kind, counts[kind]) for kind in COUNTED if counts.get(kind)]


def who_counts(who: Who, people: int) -> str:
    """Whose yes a part of a demand asks for: "2 people of the group finance"."""
    names = ", ".join(display.visible(name) for name in who.names)
    told = {
        PERMISSION: ngettext(
            "%(n)s person with the right: %(names)s",
            "%(n)s people with the right: %(names)s",
            people,
        ),
        GROUP: ngettext(
            "%(n)s person of the group %(names)s", "%(n)s people of the group %(names)s", people
        ),
        NAMED: ngettext("%(n)s person out of: %(names)s", "%(n)s people out of: %(names)s", people),
    }
    if who == ANYBODY:
        return ngettext("%(n)s person who may decide", "%(n)s people who may decide", people) % {
            "n": people
        }
    rights = dict(Tenant._meta.permissions)
    if who.kind == PERMISSION:
        names = ", ".join(str(rights.get(name, name)) for name in who.names)
    return told[who.kind] % {"n": people, "names": names}


def demand(needed: int, *, yes: int) -> str:
    """How many people must say yes, and how many have."""
    told = ngettext(
        "%(yes)s of %(n)s yes, from a person who did not start the run",
        "%(yes)s of %(n)s yes, from different people who did not start the run",
        needed,
    )
    return told % {"yes": yes, "n": needed}


def _open(yes: int, needed: int) -> str:
    if yes:
        return _("%(yes)s of %(n)s people have said yes. Nothing is sent before the last yes.") % {
            "yes": yes,
            "n": needed,
        }
    return _("The run waits for an answer. Nothing is sent before a yes.")


def _approved(request: ApprovalRequest) -> str:
    who, run = {"who": request.closed_by}, request.run
    if (run.status, run.reason) == (runs.WAITING, runs.FOR_STOP):
        return (
            _(
                "%(who)s approved this, and it is not sent: effects are stopped here. It goes on by "
                "itself when people lift the stop."
            )
            % who
        )
    if (run.status, run.reason) == (runs.WAITING, runs.FOR_DOOR):
        return (
            _(
                "%(who)s approved this, and it is not sent: the tool does not answer, so its door is "
                "closed. It goes on by itself when the tool answers again."
            )
            % who
        )
    if run.status == runs.HELD:
        return _("%(who)s approved this, and it is not sent: the run is on hold.") % who
    return (
        _(
            "%(who)s approved this. A worker makes the dry run once more and sends it, if it still "
            "shows exactly what stands here."
        )
        % who
    )


def _handled(request: ApprovalRequest) -> tuple[str, ...] | None:
    """Which answers the waiting node has a way on for; None when this code cannot tell."""
    try:
        node = graph_of(request.run.task_type).nodes.get(request.run.next_node)
    except UnknownTaskTypeError:
        return None
    return node.handles if node is not None and node.kind == graph.ACTION else None


def _counted(name: str, number: int) -> str:
    told = {
        "recipients": ngettext("%(n)s recipient", "%(n)s recipients", number),
        "files": ngettext("%(n)s file", "%(n)s files", number),
        "lines": ngettext("%(n)s line", "%(n)s lines", number),
        "deletions": ngettext("%(n)s deletion", "%(n)s deletions", number),
    }
    return told[name] % {"n": count(number)}


COUNTED: Final = ("recipients", "files", "lines", "deletions")
