"""The desk of a case: which verdicts it can get now, what each needs, and who may give them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from approvals import clock
from checkpoints import states
from checkpoints.models import Case
from checkpoints.registry import agents
from reconciliation import outcomes, verdicts
from reconciliation.calls import tool_of
from reconciliation.models import Action, Attempt
from reconciliation.pages.forms import VerdictForm
from reconciliation.verdicts import Choice

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
    """The verdicts of a case, by what its tool can do at best.

    A page never waits for the outside world: what holds for this very target is asked by the verb.
    """
    found = verdicts.CHOICES.get(case.kind, verdicts.OTHERWISE)
    if case.kind != states.OUTCOME_UNKNOWN or _can_be_asked(case):
        return found
    return tuple(each for each in found if each.verdict != verdicts.LOOK_UP_AGAIN)


def _can_be_asked(case: Case) -> bool:
    if case.action_id is None:
        return False
    action = Action.objects.filter(pk=case.action_id).only("tool").first()
    if action is None or action.tool not in agents().TOOLS:
        return False
    able = tool_of(action).capabilities
    return able.look_up or able.keyed is not None
