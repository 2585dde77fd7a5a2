"""What a fork would be and do, before anybody asks for it. The same is judged as it is made."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from canonical import digests
from checkpoints import states
from checkpoints.models import Combo, Fork, Run
from execution import forecasts
from execution.forecasts import Forecast, Transition

MOVED: Final = gettext_lazy(
    "Something moved since this page was made, so nothing was forked. What is shown now is how it"
    " stands; press again if it is what you want."
)
BLOCKED: Final = gettext_lazy(
    "An effect of this lineage was sent, and nobody knows yet what became of it. That is found out"
    " first; nothing is forked past it."
)


@dataclass(frozen=True)
class Preview:
    """A fork as it would be now. `digest` is posted back: what moved in between is refused."""

    seq: int
    combo: Combo
    forecast: Forecast
    forks: tuple[UUID, ...]

    @property
    def digest(self) -> str:
        """Changes with what is foreseen, with the combo, and when somebody else forks (hex)."""
        others = sorted(str(each) for each in self.forks)
        combo = self.combo.hex
        return digests.tagged("fork-preview", [self.forecast.digest, combo, others])


def preview(
    source: Run, seq: int, combo: Combo, again: frozenset[UUID], *, withdraws: bool
) -> Preview:
    """What forking from this checkpoint would do now. Reads only."""
    foreseen = forecasts.of(source, Transition.fork(seq, again, withdraws=withdraws))
    made = Fork.objects.filter(source=source).values_list("run_id", flat=True)
    return Preview(seq, combo, foreseen, tuple(made))


def source_why_not(source: Run) -> str:
    """Why this run cannot be forked at all now; "" when it can."""
    if source.mode != "live":
        return _("It is a shadow: it has no effects of its own to go on from.")
    if source.status not in (*states.FINAL, states.HELD):
        return _("It is still at work. Only a run that has ended or is on hold is forked.")
    if source.effect_in_flight is not None:
        return str(BLOCKED)
    return ""
