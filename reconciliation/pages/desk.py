"""The desk of a case: which verdicts it can get now, what each needs, and who may give them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from approvals import clock
from checkpoints import states
from checkpoints.models import Case
from reconciliation import outcomes, verdicts
from reconciliation.models import Attempt
from reconciliation.pages.forms import VerdictForm
from reconciliation.verdicts import Choice, second
from reconciliation.verdicts.second import Demand
from tenants.models import User

# These say "it did not happen": true only when even a late arrival is over.
AFTER_THE_WINDOW: Final = frozenset({verdicts.SEND_AGAIN, verdicts.IT_DID_NOT})

# Verdicts that let the run go on or end: what would become of its effects is shown beside them.
TRANSITIONS: Final = {
    verdicts.TRY_AGAIN: "resume",
    verdicts.GO_ON_FROM: "go_on_from",
    verdicts.CANCEL: "cancel",
}


@dataclass(frozen=True)
class Offer:
    """One verdict with its form. `not_before` is None when it can be given now."""

    choice: Choice
    form: VerdictForm
    not_before: datetime | None
    demand: Demand

    @property
    def is_wrong(self) -> bool:
        """Whether this is the form that was posted and refused."""
        return bool(self.form.errors)

    @property
    def can_be_given(self) -> bool:
        """Whether its fields are shown: what was written stays even if it was too early."""
        return self.not_before is None or self.is_wrong

    @property
    def transition(self) -> str:
        """What this verdict does with the run, as the page of forecasts names it; "" for nothing."""
        return TRANSITIONS.get(self.choice.verdict, "")

    @property
    def takes_two(self) -> bool:
        """Whether the rules want a second person for it."""
        return self.demand.people > 1


def offers(
    case: Case, attempt: Attempt | None, posted: VerdictForm | None, *, user: User
) -> list[Offer]:
    """Every verdict of an open case; the form that was `posted` keeps what was written."""
    of_attempt = attempt if case.kind == states.OUTCOME_UNKNOWN else None
    ends = outcomes.window_end(of_attempt) if of_attempt is not None else None
    not_before = ends if ends is not None and clock.now() <= ends else None
    judging = second.judging(case, user)
    return [
        Offer(
            choice,
            posted
            if posted is not None and posted.choice.verdict == choice.verdict
            else VerdictForm(choice),
            not_before if choice.verdict in AFTER_THE_WINDOW else None,
            judging.of(choice.verdict),
        )
        for choice in verdicts.choices(case)
    ]


def choice_of(case: Case, verdict: str) -> Choice | None:
    """The verdict of this name, None when a case of this kind cannot get it now."""
    return next((each for each in verdicts.choices(case) if each.verdict == verdict), None)
