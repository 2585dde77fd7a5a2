"""What a tool did at a tenant lately, summed for the rules: by the ledger and the database's clock."""

from collections.abc import Sequence
from typing import Final

from approvals.rules import Window
from reconciliation.models import Action
from tenants.database import Rows, Statement

# More than this in the longest window is not summed: then the sums are not known.
MOST_ACTIONS: Final = 10_000

# Everything that happened or may still happen: what was proposed and is not settled counts from
# the moment of its proposal, which is committed before its question is put. So of two actions
# asked about at once, at least one counts the other. What is settled counts by its end, never
# earlier than its dispatch. A negative number takes nothing off; one that is no whole number makes
# the sum unknown (NULL). Index: actions_by_tool_and_end, once for each side of OR.
SUMS: Final = """
WITH counted AS MATERIALIZED (
    SELECT magnitude, settled_at FROM reconciliation_action
     WHERE tenant_id = %(tenant)s AND tool = %(tool)s AND mode = 'live' AND id <> %(action)s
       AND (settled_at IS NULL
            OR settled_at > clock_timestamp() - make_interval(secs => %(longest)s))
       AND outcome NOT IN ('did_not_happen', 'refused')
     LIMIT %(most)s
), own AS (
    SELECT magnitude, NULL::timestamptz AS settled_at FROM reconciliation_action
     WHERE id = %(action)s
), every AS (SELECT * FROM counted UNION ALL SELECT * FROM own)
SELECT asked.of, asked.seconds, (SELECT count(*) FROM counted) < %(most)s
       AND bool_and(measured.size IS NOT NULL),
       sum(greatest(measured.size, 0))
  FROM unnest(%(of)s::text[], %(seconds)s::int[]) AS asked(of, seconds)
  JOIN every ON every.settled_at IS NULL
       OR every.settled_at > clock_timestamp() - make_interval(secs => asked.seconds)
 CROSS JOIN LATERAL (SELECT CASE
        WHEN asked.of = 'effects' THEN 1
        WHEN NOT every.magnitude ? asked.of THEN 0
        WHEN jsonb_typeof(every.magnitude -> asked.of) = 'number'
             AND every.magnitude ->> asked.of ~ '^-?[0-9]{1,18}$'
        THEN (every.magnitude ->> asked.of)::numeric END AS size) AS measured
 GROUP BY asked.of, asked.seconds
"""


def asking(windows: Sequence[Window], action: Action) -> Statement:
    """What sums each window, this action included; `read` makes the sums of its rows.

    Bounded. Amounts are added whatever their currency: never less than the sum of any one of them.
    """
    return SUMS, {
        "tenant": action.tenant_id,
        "tool": action.tool,
        "action": action.id,
        "longest": max(window.seconds for window in windows),
        "most": MOST_ACTIONS,
        "of": [window.of for window in windows],
        "seconds": [window.seconds for window in windows],
    }


def read(found: Rows) -> dict[Window, int]:
    """The sum of each window; one that cannot be told is left out."""
    return {Window(of, seconds): int(total) for of, seconds, is_known, total in found if is_known}
