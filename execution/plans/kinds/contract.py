"""What a kind of plan is: who may, what it would do to each run, and how it does it under the lock."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.utils.functional import Promise

from execution.plans import states
from execution.plans.subjects import Subject
from tenants.models import User

Words = str | Promise
Terms = Mapping[str, Any]

NO_TOKEN: Final = UUID(int=0)
OPERATE: Final = "operate_runs"
RECONCILE: Final = "reconcile_actions"

# What is judged again: all of it for a run that stands still.
EVERYTHING: Final = (
    "status",
    "reason",
    "head",
    "fence",
    "case",
    "action",
    "stands",
    "outcome",
    "attempts",
)
# Of a run that moves: what would change what people agreed to.
EFFECT: Final = ("action", "stands", "outcome", "attempts")

# Why a run is left out, with the words of the page.
CHANGED: Final = "changed"
IN_PLAN: Final = "in_plan"
NOT_PERMITTED: Final = "not_permitted"
EFFECT_UNKNOWN: Final = "effect_unknown"


@dataclass(frozen=True)
class Assessing:
    """One run as it is now, the terms of plan and item together, and who plans it."""

    subject: Subject
    terms: Terms
    user: User


@dataclass(frozen=True)
class Planned:
    """The run is in: the class it is counted in, and what will happen to it in one sentence.

    `watched` are the names of `Subject.facts` that are judged again before it happens; they go into
    the digest, as do `facts`. `second` says why a second person has to say yes, "" if not.
    """

    code: str
    sentence: Words
    facts: Mapping[str, Any] = field(default_factory=dict)
    watched: tuple[str, ...] = EVERYTHING
    second: Words = ""


@dataclass(frozen=True)
class LeftOut:
    """The run is not in: why, as a code that is counted, and as a sentence."""

    code: str
    sentence: Words


@dataclass(frozen=True)
class Result:
    """What became of one item: a state of `states.RESULTS`, and a sentence."""

    state: str
    said: Words


UNPROVEN: Final = Result(states.UNPROVEN, "")


@dataclass(frozen=True)
class Carrying:
    """One item under the locks of plan and run: what it is about, its terms, who ordered it.

    `second` is who said yes to the plan as the second person, where it takes one; `was` what was
    kept when it was planned, and `token` is the item's own, the same whenever it is tried again.
    """

    subject: Subject
    terms: Terms
    why: str
    user: User
    second: User | None = None
    was: Terms = field(default_factory=dict)
    token: UUID = NO_TOKEN


@dataclass(frozen=True)
class Kind:
    """One kind of plan.

    `assess` reads only. `carry_out` runs in the item's transaction and calls nothing outside; it
    raises an error of the domain for what cannot be. `right` is needed for all of it. `of_terms`
    says which terms a person gives; `refuse` raises `PlanRefusedError` for those that make no plan.
    With `locks_itself` nothing of the run is locked before: its verb locks what comes first.
    """

    name: str
    right: str
    title: Words
    follows: Words
    button: Callable[[int], str]
    assess: Callable[[Assessing], Planned | LeftOut]
    carry_out: Callable[[Carrying], Result]
    transition: str = ""
    locks_itself: bool = False
    of_terms: tuple[str, ...] = ()
    refuse: Callable[[Terms], None] = lambda _terms: None
