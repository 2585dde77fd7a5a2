"""What the gates judge, of every combo that runs: who needed a person, what was rejected, what it took.

By the definitions of the gates (releases.numbers), of all live runs: a gate leaves some out, so that its
arms are alike.
"""

import time
from typing import Final

from checkpoints.ids import lowest_id_at
from checkpoints.models import Combo
from config.metrics import catalog
from config.metrics.combos import Names
from config.metrics.tally import Tally
from execution.costs import ASKED
from releases.numbers.costs import NOTES, model_nodes
from releases.numbers.questions import ANSWERED, REJECTED
from releases.numbers.runs import ENDED, NEEDED, NOT_TAKEN_SECONDS
from tenants.database import execute

# Relies on the primary key of runs, which begins with the time of the start.
NEWEST: Final = """
WITH run AS (
    SELECT id, tenant_id, task_type, combo_id, status, stop_reason, due_at FROM checkpoints_run
     WHERE id >= %(since)s AND mode = 'live' ORDER BY id DESC LIMIT %(most)s
)
"""
HELD: Final = f"""
{NEWEST}
SELECT tenant_id, combo_id, count(*) FILTER (WHERE {NEEDED}) FROM run GROUP BY 1, 2
"""  # noqa: S608 - names of ours
ANSWERS: Final = f"""
{NEWEST}
SELECT run.tenant_id, run.combo_id, count(*) FILTER (WHERE {REJECTED}), count(*)
  FROM approvals_approvalrequest AS asked JOIN run ON run.id = asked.run_id
 WHERE {ANSWERED}
 GROUP BY 1, 2
"""  # noqa: S608 - names of ours
# A run that asked a model and has no sound note of it is no free run. Relies on the primary keys of
# events and of checkpoints.
TOKENS: Final = f"""
{NEWEST}, noted AS (
    SELECT run.id, run.tenant_id, run.combo_id, run.task_type, {NOTES}
      FROM run LEFT JOIN checkpoints_event AS event
        ON event.run_id = run.id AND event.what = %(asked)s::text
     WHERE run.{ENDED} GROUP BY 1, 2, 3, 4
), priced AS (
    SELECT tenant_id, combo_id, coalesce(tokens, 0) AS tokens,
           unsound = 0 AND (notes > 0 OR NOT EXISTS (
               SELECT 1 FROM checkpoints_checkpoint AS done
                 JOIN unnest(%(task_types)s::text[], %(nodes)s::text[]) AS model(task_type, node)
                   ON done.node = model.node
                WHERE done.run_id = noted.id AND model.task_type = noted.task_type)) AS is_read
      FROM noted
)
SELECT tenant_id, combo_id, coalesce(sum(tokens) FILTER (WHERE is_read), 0),
       count(*) FILTER (WHERE is_read), count(*) FILTER (WHERE NOT is_read)
  FROM priced
 GROUP BY 1, 2
"""  # noqa: S608 - names of ours


def held(tally: Tally) -> None:
    """Runs that needed a person, be it only once."""
    rows = execute(HELD, _newest(catalog.COMBO_RUNS, wait=float(NOT_TAKEN_SECONDS)))
    names = Names(row[1] for row in rows)
    for tenant, combo, n in rows:
        tally.add("kedge_combo_runs_held", n, tenant, **names.of(combo))


def answers(tally: Tally) -> None:
    """What people answered: yes, or no."""
    rows = execute(ANSWERS, _newest(catalog.COMBO_RUNS))
    names = Names(row[1] for row in rows)
    name = "kedge_combo_questions_answered"
    for tenant, combo, rejected, answered in rows:
        tally.add(name, rejected, tenant, **names.of(combo), answer="no")
        tally.add(name, answered - rejected, tenant, **names.of(combo), answer="yes")


def tokens(tally: Tally) -> None:
    """What ended runs took of the model, and of how many that is said."""
    models = [
        (task_type, node)
        for task_type in Combo.objects.values_list("task_type", flat=True).distinct().order_by()
        for node in model_nodes(task_type)
    ]
    which = {"task_types": [each for each, _ in models], "nodes": [node for _, node in models]}
    rows = execute(TOKENS, _newest(catalog.COMBO_RUNS_PRICED, asked=ASKED, **which))
    names = Names(row[1] for row in rows)
    for tenant, combo, took, read, unread in rows:
        labels = names.of(combo)
        tally.add("kedge_combo_tokens", took, tenant, **labels)
        tally.add("kedge_combo_tokens_runs", read, tenant, **labels, noted="yes")
        tally.add("kedge_combo_tokens_runs", unread, tenant, **labels, noted="no")


def _newest(most: int, **more: object) -> dict[str, object]:
    since = lowest_id_at(int((time.time() - catalog.COMBO_DAYS * 86_400) * 1000))
    return {"since": since, "most": most, **more}
