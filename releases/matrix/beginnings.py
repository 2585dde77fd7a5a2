"""When each combo began to matter at a tenant: its first run there, or the first move that sent runs to it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Min

from checkpoints.models import Combo
from releases.gates import standing
from releases.models import Move
from tenants.database import execute
from tenants.models import Tenant

SENDS: Final = (standing.WIDEN, standing.PROMOTE)
# Index: runs_by_tenant_and_combo, one row each.
FIRST: Final = """
SELECT asked.id, first.created_at
  FROM unnest(%(combos)s::bigint[]) AS asked(id)
 CROSS JOIN LATERAL (
       SELECT created_at FROM checkpoints_run
        WHERE tenant_id = %(tenant)s AND combo_id = asked.id ORDER BY id LIMIT 1) AS first
"""
# When a problem was first seen under a combo; never before that began. Index: problem_runs_over_time.
SEEN: Final = """
SELECT asked.problem, asked.combo, first.since
  FROM unnest(%(problems)s::uuid[], %(combos)s::bigint[], %(begun)s::timestamptz[])
       AS asked(problem, combo, begun)
 CROSS JOIN LATERAL (
       SELECT since FROM execution_problemrun
        WHERE problem_id = asked.problem AND since >= asked.begun AND combo_id = asked.combo
        ORDER BY since LIMIT 1) AS first
"""


def begun(tenant: Tenant, combos: Sequence[Combo]) -> dict[int, datetime]:
    """When each of these began, by its id; one that no run ever had and no move led to is not there."""
    ids = [combo.pk for combo in combos]
    found: dict[int, datetime] = dict(execute(FIRST, {"tenant": tenant.pk, "combos": ids}))
    moves = Move.objects.filter(
        tenant=tenant, ended="made", kind__in=SENDS, release__candidate__in=ids
    )
    first = moves.values_list("release__candidate").annotate(at=Min("ended_at")).order_by()
    for combo, at in first:
        found[combo] = min(found.get(combo, at), at)
    return found


def first_seen(
    pairs: Sequence[tuple[object, int]], begun: Mapping[int, datetime]
) -> dict[tuple[object, int], datetime]:
    """When each problem (by its id) was first seen under a combo, of these pairs."""
    asked = [pair for pair in pairs if pair[1] in begun]
    if not asked:
        return {}
    values = {
        "problems": [problem for problem, _ in asked],
        "combos": [combo for _, combo in asked],
        "begun": [begun[combo] for _, combo in asked],
    }
    return {(problem, combo): since for problem, combo, since in execute(SEEN, values)}
