"""What cancelling a run would do, in numbers, before anybody presses the button."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import states
from checkpoints.models import Run
from reconciliation import ledger, outcomes
from reconciliation import states as world
from reconciliation.calls import capabilities
from reconciliation.models import Action


@dataclass(frozen=True)
class Forecast:
    """What stands, what is out, what is never sent.

    `follows` are sentences in the order in which things happen; `button` says the numbers.
    """

    stand: list[Action]
    out: Action | None
    unsent: Action | None
    follows: list[str]
    button: str
    may_arrive_until: datetime | None = None


def forecast(run: Run) -> Forecast:
    """What cancelling this run would do now. Reads only; the engine decides again when it acts."""
    stand = ledger.effects_that_stand(run.id)
    action = ledger.open_action(run.id)
    unsettled = action if action is not None and action.stands != world.SETTLED else None
    attempt = unsettled.attempts.filter(outcome="").first() if unsettled else None
    out = unsettled if attempt is not None else None
    unsent = unsettled if unsettled is not None and attempt is None else None
    return Forecast(
        stand,
        out,
        unsent,
        [*_standing(stand), *_open(out, unsent), *_end(run)],
        _button(len(stand), out),
        outcomes.window_end(attempt) if attempt else None,
    )


def _open(out: Action | None, unsent: Action | None) -> list[str]:
    if unsent is not None:
        told = _("“%(what)s” is not sent and never will be; its question is withdrawn.")
        return [told % {"what": _bare(unsent)}]
    if out is None:
        return []
    first = _("“%(what)s” is on its way and cannot be called back.") % {"what": _bare(out)}
    if capabilities(out).void:
        how = _("First its place is taken, so that it either is there already or never arrives.")
    elif capabilities(out).look_up:
        how = _("First the tool is asked what became of it; the run ends when that is known.")
    else:
        how = _("Nobody can ask its tool, so a person has to say what became of it first.")
    return [first, how]


def _bare(action: Action) -> str:
    return action.describe.removesuffix(".")


def _end(run: Run) -> list[str]:
    if run.status == states.HELD:
        return [_("The run is on hold: it ends as soon as its case is decided.")]
    if run.status == states.RUNNING:
        return [_("The worker stops at the next checkpoint, and the run ends.")]
    return [_("The next free worker ends the run.")]


def _standing(stand: list[Action]) -> list[str]:
    if not stand:
        return [_("This run has changed nothing outside so far.")]
    told = ngettext(
        "%(n)d effect stands and is not undone.",
        "%(n)d effects stand and are not undone.",
        len(stand),
    )
    return [told % {"n": len(stand)}]


def _button(stand: int, out: Action | None) -> str:
    stands = ngettext("%(n)d effect stands", "%(n)d effects stand", stand) % {"n": stand}
    if out is not None:
        return _("Cancel: %(stands)s, 1 is on its way, 0 more will be sent") % {"stands": stands}
    return _("Cancel: %(stands)s, 0 more will be sent") % {"stands": stands}
