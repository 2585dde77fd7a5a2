"""What people say about the cases of one run, in order; where they are is read from the record.

Whoever is killed comes back, looks what the record has of their words, and goes on from there.
"""

import contextlib
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from approvals import clock
from checkpoints.models import Case, ProposedVerdict, Verdict
from reconciliation import outcomes, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Attempt
from reconciliation.verdicts import Given
from tests.crash.registry import mend
from tests.crash.roles import Job

# A verdict, or a proposal where the rules want two; what a second person says of that; taking back
# what was said last, at once or when the run has ended with it.
GIVE, AGREE, AGREE_TOO_LATE, DECLINE = "give", "agree", "agree too late", "decline"
TAKE_BACK, TAKE_BACK_AT_END = "take back", "take back at the end"

REASON: Final = "I looked"
NOT_SHOWN: Final = "0" * 64
A_MOMENT: Final = timedelta(milliseconds=5)


@dataclass(frozen=True)
class Word:
    """One durable step of a person. `seq`: the checkpoint to go on from."""

    act: str
    verdict: str = ""
    seq: int | None = None

    def is_due(self, *, is_open: bool, is_final: bool) -> bool:
        """Whether it can be said of a run that has an open case, or has ended."""
        if self.act == GIVE:
            return is_open
        return self.act != TAKE_BACK_AT_END or is_final


def give(verdict: str, seq: int | None = None) -> Word:
    return Word(GIVE, verdict, seq)


def say(job: Job, word: Word) -> None:
    """One process of a person; what they say is one transaction."""
    cast, run = job.cast, {"run__business_key": job.business_key}
    if word.act == GIVE:
        _give(job, word)
    elif word.act in (TAKE_BACK, TAKE_BACK_AT_END):
        standing = Verdict.objects.filter(case__run__business_key=job.business_key, superseded=None)
        verdicts.supersede(standing.get().pk, reason="I looked wrongly", user=cast.colleague)
    else:
        case = Case.objects.get(**run, decided_at=None, closed_at=None)
        asked = ProposedVerdict.objects.get(case=case, ended="")
        if word.act == DECLINE:
            verdicts.decline(asked.pk, reason="I saw otherwise", user=cast.colleague)
        elif word.act == AGREE:
            verdicts.agree(asked.pk, terms=asked.terms, user=cast.colleague)
        else:
            with contextlib.suppress(VerdictRefusedError):
                verdicts.agree(asked.pk, terms=NOT_SHOWN, user=cast.colleague)


def _give(job: Job, word: Word) -> None:
    case = Case.objects.get(run__business_key=job.business_key, decided_at=None, closed_at=None)
    mend()
    for attempt in Attempt.objects.filter(action=case.action_id or uuid.UUID(int=0), outcome=""):
        _until_nothing_can_arrive(attempt)
    given = Given(word.verdict, REASON, "the outside world itself", word.seq)
    verdicts.give(case.pk, given, user=job.cast.starter)


def _until_nothing_can_arrive(attempt: Attempt) -> None:
    """*It did not* is believed only after budget and margin."""
    left = outcomes.window_end(attempt) - clock.now() + A_MOMENT
    time.sleep(max(left.total_seconds(), 0.0))
