"""What cancelling a run would do, in the order in which it happens, before anybody presses."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import states
from checkpoints.models import Run
from execution.forecasts.forecast import Forecast, Line, of
from execution.forecasts.judging import NEVER_SENT, STANDS, UNKNOWN
from execution.forecasts.transitions import Transition
from reconciliation import outcomes
from reconciliation.calls import capabilities
from reconciliation.models import Action, Attempt


@dataclass(frozen=True)
class Cancelling:
    """The forecast of a cancellation, `follows` in sentences, and the button with its numbers.

    `out` is the effect whose call is out; it may arrive until then.
    """

    forecast: Forecast
    follows: list[str]
    button: str
    out: Action | None = None
    may_arrive_until: datetime | None = None


def cancelling(run: Run) -> Cancelling:
    """What cancelling this run would do now. Reads only; the engine decides again when it acts."""
    forecast = of(run, Transition.cancel())
    stand = forecast.counts[STANDS]
    attempt = _out(forecast)
    follows = [*_standing(stand), *_open(forecast, attempt), *_end(run)]
    button = _button(stand, attempt)
    if attempt is None:
        return Cancelling(forecast, follows, button)
    return Cancelling(forecast, follows, button, attempt.action, outcomes.window_end(attempt))


def _out(forecast: Forecast) -> Attempt | None:
    """The call that is out; a run has one at most."""
    line = _first(forecast, UNKNOWN)
    attempts = Attempt.objects.select_related("action__run", "action__tenant").filter(outcome="")
    return attempts.filter(action=line.action_id).first() if line else None


def _first(forecast: Forecast, kind: str) -> Line | None:
    return next((line for line in forecast.lines if line.kind == kind), None)


def _open(forecast: Forecast, attempt: Attempt | None) -> list[str]:
    unsent = _first(forecast, NEVER_SENT)
    if unsent is not None:
        told = _("“%(what)s” is not sent and never will be; its question is withdrawn.")
        return [told % {"what": _bare(unsent.describe)}]
    if attempt is None:
        return []
    told = _("“%(what)s” is on its way and cannot be called back.")
    return [told % {"what": _bare(attempt.action.describe)}, _how(attempt.action)]


def _how(out: Action) -> str:
    """How it is found out what became of a call that is out."""
    if capabilities(out).void:
        return _("First its place is taken, so that it either is there already or never arrives.")
    if capabilities(out).look_up:
        return _("First the tool is asked what became of it; the run ends when that is known.")
    return _("Nobody can ask its tool, so a person has to say what became of it first.")


def _bare(describe: str) -> str:
    return describe.removesuffix(".")


def _end(run: Run) -> list[str]:
    if run.status == states.HELD:
        return [_("The run is on hold: it ends as soon as its case is decided.")]
    if run.status == states.RUNNING:
        return [_("The worker stops at the next checkpoint, and the run ends.")]
    return [_("The next free worker ends the run.")]


def _standing(stand: int) -> list[str]:
    if not stand:
        return [_("This run has changed nothing outside so far.")]
    told = ngettext(
        "%(n)d effect stands and is not undone.",
        "%(n)d effects stand and are not undone.",
        stand,
    )
    return [told % {"n": stand}]


def _button(stand: int, out: Attempt | None) -> str:
    stands = ngettext("%(n)d effect stands", "%(n)d effects stand", stand) % {"n": stand}
    if out is not None:
        return _("Cancel: %(stands)s, 1 is on its way, 0 more will be sent") % {"stands": stands}
    return _("Cancel: %(stands)s, 0 more will be sent") % {"stands": stands}
