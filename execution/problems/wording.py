"""What pages say of a problem, in words: how much it is, and what is wrong."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals.pages import wording
from checkpoints import states
from checkpoints.pages.forms import title_of
from execution.problems.models import Problem
from execution.problems.standing import Tally
from execution.problems.stuck import STUCK
from tenants import pills
from tenants.amounts import count

APART: Final = " · "


def title(problem: Problem, tally: Tally) -> str:
    """ "1,400 runs of Refund desk · 88,120.00 EUR · outcome unknown"."""
    parts = [_runs(problem, tally.runs), *magnitudes(tally), kind(problem)]
    return APART.join(parts)


def magnitudes(tally: Tally) -> list[str]:
    """The sums of its effects: each currency by itself, then recipients."""
    money = [
        wording.magnitude({"amount": amount, "currency": currency})
        for currency, amount in sorted(tally.money.items())
        if amount
    ]
    if tally.recipients:
        money.append(wording.magnitude({"recipients": tally.recipients}))
    return money


def kind(problem: Problem) -> str:
    """What kind of trouble it is: "outcome unknown", "failed: rejected", "stuck: woken"."""
    words = str(pills.reason_words(problem.kind))
    if problem.kind == STUCK:
        why = str(pills.reason_words(problem.error)) or _("a worker is at it")
        return _("stuck: %(why)s") % {"why": why}
    if problem.kind in states.CASE_KINDS:
        return words
    if problem.kind == states.FOR_RETRY:
        return _("tried again and again")
    return _("failed: %(why)s") % {"why": words}


def sentence(problem: Problem) -> str:
    """What is wrong, where no run says it."""
    if problem.kind == STUCK:
        told = {"node": problem.node}
        return _("At the node %(node)s for longer than expected.") % told
    return problem.error or kind(problem).capitalize()


def pill(problem: Problem) -> tuple[str, str]:
    """The codes of its pill: a status and a reason."""
    if problem.kind == states.OUTCOME_UNKNOWN:
        return "unknown", ""
    if problem.kind in states.CASE_KINDS:
        return states.HELD, problem.kind
    if problem.kind == states.FOR_RETRY:
        return states.WAITING, states.FOR_RETRY
    return ("stuck", "") if problem.kind == STUCK else (states.FAILED, problem.kind)


def _runs(problem: Problem, runs: int) -> str:
    told = ngettext("%(n)s run of %(task)s", "%(n)s runs of %(task)s", runs)
    return told % {"n": count(runs), "task": title_of(problem.task_type)}
