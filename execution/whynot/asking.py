"""The nine questions in the order in which they are asked, and all their answers for one run."""

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from checkpoints.models import Run
from execution.whynot import around
from execution.whynot import run as own
from execution.whynot.answers import Answer, Check

Asked = tuple[str | Promise, Callable[[Run], Answer]]

QUESTIONS: Final[Mapping[str, Asked]] = {
    "due": (_("Is it due?"), own.due),
    "worker": (_("Is a worker alive that can run its code?"), around.worker),
    "lease": (_("Is its lease free, or renewed by somebody who gets on?"), own.lease),
    "slot": (_("Has its tenant a free slot?"), own.slot),
    "stop": (_("Is nothing stopped?"), around.stop),
    "door": (_("Is no door of its tools closed?"), around.door),
    "approval": (_("Is no question open?"), own.approval),
    "credential": (_("Are its credentials valid?"), around.credential),
    "machinery": (_("Are the sweeper, PostgreSQL and the queue there?"), around.machinery),
}


def ask(run: Run, name: str) -> Check:
    """One question about a run. Raises `KeyError` for a name that none has."""
    what, question = QUESTIONS[name]
    return Check(name, str(what), question(run))


def ask_all(run: Run) -> list[Check]:
    """All nine, in their order."""
    return [ask(run, name) for name in QUESTIONS]
