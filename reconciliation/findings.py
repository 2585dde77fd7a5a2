"""What finding out comes to: it is known, it is asked later, or a person has to say."""

from dataclasses import dataclass
from datetime import datetime

from canonical.redaction import Fact, ours
from checkpoints import states as reasons
from checkpoints.cases import Trouble
from reconciliation import patience, windows
from reconciliation.calls import tool_of
from reconciliation.models import Action, Attempt
from tenants.keys import hiding

A_MINUTE = 60


@dataclass(frozen=True)
class Known:
    """The action is settled, or its last attempt is proven without effect: go on."""


@dataclass(frozen=True)
class Later:
    """Ask again at `at`; nobody is called and no worker waits. `reason` is why the run waits."""

    at: datetime
    reason: str
    sentence: str


@dataclass(frozen=True)
class NeedsPerson:
    """Nobody but a person can know."""

    trouble: Trouble


Finding = Known | Later | NeedsPerson


def is_answer(finding: Finding) -> bool:
    """Whether the tool said anything to `ask`."""
    if isinstance(finding, NeedsPerson):
        return finding.trouble.kind != reasons.OUTCOME_UNKNOWN
    return not (isinstance(finding, Later) and finding.reason == reasons.FOR_LOOK_UP)


def unknown(action: Action, attempt: Attempt, silence: str = "") -> Trouble:
    """The case of an attempt of which nobody knows; `silence` is what the tool said instead."""
    patient = patience.of(tool_of(action)).total_seconds()
    for_so_long = f"{patient / 60:.0f} min" if patient >= A_MINUTE else f"{patient:.0f} s"
    why = (
        f"it has not answered for {for_so_long} ({silence})"
        if silence
        else f"{action.tool} cannot be asked"
    )
    sentence = f"“{action.describe}” was sent and no answer came; {why}, so a person must find out."
    facts: dict[str, Fact] = {
        **hiding.texts(error="no answer", tool=action.tool, target=action.target),
        "attempt": attempt.id,
        "number": attempt.number,
        "sent_at": attempt.dispatched_at,
        "window_ends_at": windows.end(attempt),
    }
    return Trouble(reasons.OUTCOME_UNKNOWN, hiding.text(sentence), facts, action.id)


def duplicate(action: Action, count: int) -> Trouble:
    """The case of an effect that the tool has more than once."""
    said = ours("The tool has this effect %(n)s times.", n=count)
    facts: dict[str, Fact] = {
        "count": count,
        **hiding.texts(error="duplicate", tool=action.tool, target=action.target),
    }
    return Trouble(reasons.DUPLICATE_EFFECT, said, facts, action.id)
