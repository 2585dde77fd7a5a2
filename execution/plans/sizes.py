"""What the effects of a plan touch together, by class: money per currency, and what is counted.

The effects are named in what the digest is over and their sizes never change, so these sums are of
exactly what is reviewed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connection

from approvals.totals import COUNTED
from execution.plans.models import Plan

AMOUNT: Final = "amount"
# Index: plan_items_by_state, then the key of each effect. A plan has at most MOST_ITEMS items.
SUMS: Final = """
SELECT item.code, size.name,
       CASE WHEN size.name = 'amount' THEN coalesce(action.magnitude ->> 'currency', '') ELSE '' END,
       sum((size.number)::numeric)
  FROM execution_planitem AS item
  JOIN reconciliation_action AS action
    ON action.id = coalesce(item.action_id, nullif(item.was ->> 'action', '')::uuid)
   AND action.tenant_id = %(tenant)s
 CROSS JOIN LATERAL jsonb_each(action.magnitude) AS size(name, number)
 WHERE item.plan_id = %(plan)s AND item.state = %(state)s
   AND size.name = ANY(%(names)s) AND jsonb_typeof(size.number) = 'number'
 GROUP BY 1, 2, 3
 ORDER BY 1, 2, 3
"""


@dataclass
class Size:
    """Money in whole minor units by currency, and counts by kind; what is 0 is not there."""

    money: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, currency: str, number: int) -> None:
        """Take one sum in."""
        if name == AMOUNT:
            self.money[currency] += number
        else:
            self.counts[name] += number


def by_class(plan: Plan, state: str) -> Mapping[str, Size]:
    """The sums of a plan's items of one state, by class; a class that touches nothing is not there."""
    given: dict[str, Any] = {"tenant": plan.tenant_id, "plan": plan.pk, "state": state}
    given["names"] = [AMOUNT, *COUNTED]
    with connection.cursor() as cursor:
        cursor.execute(SUMS, given)
        found = cursor.fetchall()
    sizes: defaultdict[str, Size] = defaultdict(Size)
    for code, name, currency, number in found:
        if number:
            sizes[code].add(name, currency, int(number))
    return dict(sizes)


def together(sizes: Iterable[Size]) -> Size:
    """The sum over classes."""
    whole = Size()
    for size in sizes:
        whole.money.update(size.money)
        whole.counts.update(size.counts)
    return whole
