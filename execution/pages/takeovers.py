"""A recovery in one sentence: what interrupted the run, who took over when, what was asked and sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints.models import Recovery
from reconciliation.models import Attempt, LookUp
from tenants import moments

ANSWERS: Final = {
    "found": gettext_lazy("it had arrived"),
    "absent": gettext_lazy("it had not arrived"),
    "unanswered": gettext_lazy("no answer"),
    "voided": gettext_lazy("a late call is ruled out"),
}
RECOVERED: Final = "recovered"
BY_PERSON: Final = "by_person"


@dataclass(frozen=True)
class Asked:
    """What the ledger says of the time a recovery took: how often it was asked, what left again.

    `out` says that a call was out when the run was interrupted.
    """

    out: bool = False
    look_ups: int = 0
    answer: str = ""
    sent: int = 0
    sent_again: int = 0


def asked_during(
    recovery: Recovery, attempts: Sequence[Attempt], look_ups: Sequence[LookUp]
) -> Asked:
    """Pick what belongs to one recovery from the attempts and look-ups of its run."""
    begins, ends = recovery.noticed_at, over_at(recovery) or timezone.now()
    within = [each for each in attempts if begins <= each.dispatched_at <= ends]
    asked = [each for each in look_ups if begins <= each.at <= ends and each.answer != "first_seen"]
    return Asked(
        out=any(_is_out(each, begins) for each in attempts),
        look_ups=len(asked),
        answer=max(asked, key=lambda each: each.pk).answer if asked else "",
        sent=len(within),
        sent_again=sum(each.number > 1 for each in within),
    )


def over_at(recovery: Recovery) -> datetime | None:
    """When a recovery was over: its new boundary, else its end, None while it goes on."""
    return recovery.new_boundary_at or recovery.ended_at


def seconds(recovery: Recovery) -> float | None:
    """From the interruption noticed to the next boundary; None where there is none."""
    if recovery.new_boundary_at is None:
        return None
    return (recovery.new_boundary_at - recovery.noticed_at).total_seconds()


def sentence(recovery: Recovery, asked: Asked) -> str:
    """What happened, in one sentence an operator reads."""
    then = [part for part in (_taken_over(recovery), *_what_was_asked(asked)) if part]
    return "; ".join(filter(None, [_interrupted(recovery), ", ".join(then), _end(recovery)])) + "."


def _interrupted(recovery: Recovery) -> str:
    why = recovery.why[:1].upper() + recovery.why[1:]
    at = moments.clock(recovery.noticed_at)
    return _("%(why)s at %(at)s UTC") % {"why": why, "at": at}


def _taken_over(recovery: Recovery) -> str:
    if recovery.taken_over_at is None:
        return "" if recovery.ended else _("not taken over yet")
    waited = (recovery.taken_over_at - recovery.noticed_at).total_seconds()
    return _("taken over after %(span)s") % {"span": moments.span(max(waited, 0.0))}


def _what_was_asked(asked: Asked) -> list[str]:
    found = []
    if asked.look_ups:
        told = ngettext("asked the tool", "asked the tool %(n)d times", asked.look_ups)
        answer = str(ANSWERS.get(asked.answer, ""))
        found.append(told % {"n": asked.look_ups} + (f" ({answer})" if answer else ""))
    elif asked.out:
        found.append(_("a call was out and its outcome was not known"))
    if asked.sent_again:
        found.append(
            ngettext("%(n)d call was sent again", "%(n)d calls were sent again", asked.sent_again)
            % {"n": asked.sent_again}
        )
    else:
        found.append(_("nothing was sent again"))
    return found


def _end(recovery: Recovery) -> str:
    took = seconds(recovery)
    if recovery.ended == RECOVERED and took is not None:
        return _("went on after %(span)s") % {"span": moments.span(took)}
    if recovery.ended == BY_PERSON:
        return _("a person decided how it goes on")
    return _("interrupted again before it got further") if recovery.ended else ""


def _is_out(attempt: Attempt, at: datetime) -> bool:
    return attempt.dispatched_at <= at and (attempt.settled_at is None or attempt.settled_at >= at)
