"""What revoking a run from its worker would do, in the order in which it happens."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from checkpoints.models import Run
from execution.forecasts.cancelling import cancelling


@dataclass(frozen=True)
class Forecast:
    """`follows` are sentences; `button` says the number; a call that is out may still arrive."""

    follows: list[str]
    button: str
    may_arrive_until: datetime | None = None


def forecast(run: Run) -> Forecast:
    """What revoking this run would do now. Reads only."""
    known = cancelling(run)
    follows = [_("Its worker loses the run: whatever it still writes is refused.")]
    if known.out is not None:
        told = {"what": known.out.describe.removesuffix(".")}
        follows += [
            _("“%(what)s” is on its way and cannot be called back.") % told,
            _("What became of it is found out first; nothing more is sent before that is known."),
        ]
        button = _("Revoke: 1 call is out, 0 effects sent again")
    else:
        follows.append(_("Nothing is on its way outside."))
        button = _("Revoke: 0 effects sent again")
    goes_on = _("The next free worker goes on from checkpoint #%(seq)d, at the node %(node)s.")
    follows.append(goes_on % {"seq": run.head, "node": run.next_node})
    return Forecast(follows, button, known.may_arrive_until)
