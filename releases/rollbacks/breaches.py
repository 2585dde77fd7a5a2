"""The broken safety constraints of a release, and whether a machine has answered them already.

What was broken as a machine planned a rollback stands beside that plan. So a plan that a person took
back, or let expire, is not made anew for the same breach, and is for the next one.
"""

from collections.abc import Sequence
from typing import Any, Final

from releases.gates.samples import Constraint
from releases.models import Release
from releases.numbers import safety
from releases.numbers.audit import Ends
from releases.rollbacks.models import Rollback

BROKEN: Final = "broken"

Breach = tuple[Constraint, ...]


def of(release: Release, ends: Ends | None = None) -> Breach:
    """What its candidate broke since the release began. One that cannot be read rolls nothing back."""
    found = safety.constraints(release.tenant, release.candidate, release.begun_at, ends)
    return tuple(each for each in found if each.broken)


def is_news(release: Release, breach: Breach) -> bool:
    """Whether no machine's plan was made for it: it is there oftener, or its newest example is another."""
    plans = release.rollbacks.filter(proposed_by=None, beside__has_key=BROKEN)
    answered = [each[BROKEN] for each in plans.values_list("beside", flat=True)]
    return any(
        _is_news(each, [known[each.name] for known in answered if each.name in known])
        for each in breach
    )


def as_json(breach: Breach) -> dict[str, Any]:
    """How often each is broken, and examples: what is kept beside the plan that answers it."""
    return {BROKEN: {each.name: [each.broken, list(each.examples)] for each in breach}}


def beside(plan: Rollback) -> dict[str, Any]:
    """What a plan answers, to be kept beside the one that takes its place."""
    return {BROKEN: plan.beside.get(BROKEN, {})}


def names(breach: Breach) -> str:
    """ "duplicate_arrived, wire_digest_differs" """
    return ", ".join(each.name for each in breach)


def exactly(breach: Breach) -> str:
    """The same with how often, and the newest example: equal for the same breach alone."""
    return ", ".join(
        f"{each.name} ({each.broken}, newest {each.examples[0] if each.examples else '?'})"
        for each in breach
    )


def _is_news(now: Constraint, answered: Sequence[Sequence[Any]]) -> bool:
    most = max((count for count, _ in answered), default=0)
    seen = {example for _, examples in answered for example in examples}
    return (now.broken or 0) > most or not seen.issuperset(now.examples[:1])
