"""The desk of a case: which verdicts it can get now, what each needs, and who may give them."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from approvals import clock
from checkpoints.models import Case
from reconciliation import outcomes, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.forms import VerdictForm
from reconciliation.models import Attempt
from reconciliation.tools import Unanswered
from reconciliation.verdicts import Choice

log = logging.getLogger(__name__)

# These say "it did not happen": true only when even a late arrival is over.
AFTER_THE_WINDOW: Final = frozenset({verdicts.SEND_AGAIN, verdicts.IT_DID_NOT})


@dataclass(frozen=True)
class Offer:
    """One verdict with its form. `not_before` is None when it can be given now."""

    choice: Choice
    form: VerdictForm
    not_before: datetime | None

    @property
    def is_wrong(self) -> bool:
        """Whether this is the form that was posted and refused."""
        return bool(self.form.errors)

    @property
    def can_be_given(self) -> bool:
        """Whether its fields are shown: what was written stays even if it was too early."""
        return self.not_before is None or self.is_wrong


def offers(case: Case, attempt: Attempt | None, posted: VerdictForm | None) -> list[Offer]:
    """Every verdict of an open case; the form that was `posted` keeps what was written."""
    ends = outcomes.window_end(attempt) if attempt is not None else None
    not_before = ends if ends is not None and clock.now() <= ends else None
    return [
        Offer(
            choice,
            posted
            if posted is not None and posted.choice.verdict == choice.verdict
            else VerdictForm(choice),
            not_before if choice.verdict in AFTER_THE_WINDOW else None,
        )
        for choice in choices(case)
    ]


def choice_of(case: Case, verdict: str) -> Choice | None:
    """The verdict of this name, None when a case of this kind cannot get it."""
    return next((choice for choice in choices(case) if choice.verdict == verdict), None)


def choices(case: Case) -> tuple[Choice, ...]:
    """The verdicts of a case; a tool that does not even say what it can do is not offered for asking."""
    try:
        return verdicts.choices(case)
    except (Unanswered, VerdictRefusedError, KeyError) as silence:
        log.info("capabilities unknown, so asking is not offered: %s", silence)
        found = verdicts.CHOICES.get(case.kind, verdicts.OTHERWISE)
        return tuple(each for each in found if each.verdict != verdicts.LOOK_UP_AGAIN)
