"""What the rules demand of one effect: asked with its question, and once more as it is sent.

The rules stand in the combo and never move, nor does the effect; the tenant's class of its tool and
the sums over time do. So both are read anew under the locks of its dispatch, and judged there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from approvals import rules
from approvals.people import reversibility
from approvals.rules import Deny, Effect, Requirement, Window
from canonical import json as canonical
from checkpoints import versions
from checkpoints.models import Combo
from reconciliation import sensitive, sums
from reconciliation.models import Action
from tenants.database import Rows, Statement

Json = Any


@dataclass(frozen=True)
class Demand:
    """One effect before the rules of its combo. `windows` are the sums that they test."""

    action: Action
    document: Mapping[str, Json] | None
    effect: Effect
    windows: tuple[Window, ...]

    def looking(self) -> list[Statement]:
        """What reads all that may have moved; `now` takes the rows."""
        looks = [reversibility.saying(self.action.tenant_id, self.action.tool)]
        return [*looks, sums.asking(self.windows, self.action)] if self.windows else looks

    def now(self, found: Sequence[Rows]) -> Requirement | Deny:
        """What the rules demand, as things were when `looking` was run."""
        said, *summed = found
        totals = sums.read(summed[0]) if summed else {}
        effect = replace(self.effect, reversibility=reversibility.said(said), sums=totals)
        return rules.evaluate(self.document, effect)


def of(action: Action, *, diff: bytes, media: str) -> Demand:
    """The demand of an action whose dry run showed this diff."""
    document = rules_of(action.run.combo)
    effect = Effect(
        tool=action.tool,
        tenant=action.tenant.slug,
        target=action.target,
        magnitude=action.magnitude,
        # In the clear: a condition on what is secret must not pass because it cannot be read.
        parameters=canonical.loads(sensitive.parameters(action)),
        diff_bytes=len(diff),
        diff_files=_files(diff, media),
    )
    windows = rules.sums_needed(document, tool=action.tool, tenant=action.tenant.slug)
    return Demand(action, document, effect, windows)


def rules_of(combo: Combo) -> Json:
    """The rules document that a combo carries; None, which denies everything, when it has none."""
    return versions.of(combo).rules


def _files(diff: bytes, media: str) -> int | None:
    """How many files a diff of git is about; None for what has none to count."""
    if media != "text/x-diff":
        return None
    count = (b"\n" + diff).count(b"\ndiff --git ")
    return count if count or not diff else None
