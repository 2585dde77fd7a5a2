"""How many problems are open at each of several tenants: one statement, for the page of all tenants.

What the sweeper has not sorted in yet, and runs that are only stuck, stand on the tenant's own home.
"""

from collections.abc import Sequence
from typing import Final

from execution.problems.reading import LATELY
from tenants.database import execute

# Put off and resolved as `Standing.state` says it. Index: problems_counted, alone as long as the
# table is vacuumed.
OPEN: Final = """
WITH resolved AS (
    SELECT * FROM (
        SELECT DISTINCT ON (problem_id, combo_id) problem_id, combo_id, what, at
          FROM execution_problemchange
         WHERE tenant_id = ANY(%(tenants)s) AND combo_id IS NOT NULL
         ORDER BY problem_id, combo_id, id DESC) AS newest
     WHERE what = 'resolved'
), put_off AS (
    SELECT * FROM (
        SELECT DISTINCT ON (problem_id) problem_id, what, until, rate
          FROM execution_problemchange
         WHERE tenant_id = ANY(%(tenants)s) AND what IN ('snoozed', 'woken')
         ORDER BY problem_id, id DESC) AS newest
     WHERE what = 'snoozed' AND (until IS NULL OR until > clock_timestamp())
), counted AS (
    SELECT own.tenant_id, own.problem_id, count(*) FILTER (
           WHERE own.since > clock_timestamp() - make_interval(secs => %(lately)s)) AS lately
      FROM execution_problemrun AS own
      LEFT JOIN resolved USING (problem_id, combo_id)
     WHERE own.tenant_id = ANY(%(tenants)s) AND own.over_at IS NULL
       AND NOT (own.what = 'failure' AND own.since <= coalesce(resolved.at, '-infinity'))
     GROUP BY 1, 2
)
SELECT counted.tenant_id, count(*)
  FROM counted LEFT JOIN put_off USING (problem_id)
 WHERE put_off.problem_id IS NULL OR counted.lately > put_off.rate
 GROUP BY 1
"""


def open_counts(tenants: Sequence[int]) -> dict[int, int]:
    """How many problems are open, by tenant id; one without any is not there."""
    given = {"tenants": list(tenants), "lately": LATELY.total_seconds()}
    return {row[0]: row[1] for row in execute(OPEN, given)}
