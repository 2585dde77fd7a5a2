"""What one of the nine questions is answered with, and what all nine say together. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _


@dataclass(frozen=True)
class Answer:
    """`ok`: this does not keep the run. `at` is since when it is so, or when it was looked at;
    `next` is what helps if it is not ok, `url` where."""

    ok: bool
    said: str
    at: datetime | None = None
    next: str = ""
    url: str = ""


@dataclass(frozen=True)
class Check:
    """One question, by its code and in words, with its answer."""

    code: str
    what: str
    answer: Answer


def against(said: str, at: datetime | None, then: str = "", url: str = "") -> Answer:
    """This keeps the run; `then` is what helps."""
    return Answer(ok=False, said=said, at=at, next=then, url=url)


def told(checks: Sequence[Check], *, is_late: bool) -> str:
    """What the answers say together, in one sentence."""
    no = [check for check in checks if not check.answer.ok]
    if len(no) == 1:
        return no[0].answer.said
    if no:
        return _("%(n)d things keep it; the first: %(first)s") % {
            "n": len(no),
            "first": no[0].answer.said,
        }
    if is_late:
        return _("Nothing keeps it, and it is here for longer than expected.")
    return _("Nothing keeps it.")
