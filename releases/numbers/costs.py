"""What an arm's ended runs cost in tokens, from what each model call noted of itself."""

from typing import Final

from checkpoints.errors import UnknownTaskTypeError
from checkpoints.graph import MODEL
from checkpoints.registry import graph_of
from execution.costs import ASKED
from releases.gates.samples import Cost
from releases.numbers.runs import ENDED
from releases.numbers.subjects import ARM, ArmOf
from tenants.database import execute

# What the events of a run's model calls say together.
NOTES: Final = """
    count(event.id) AS notes,
    sum(CASE WHEN jsonb_typeof(event.detail -> 'tokens') = 'number'
             THEN (event.detail ->> 'tokens')::float8 END) AS tokens,
    count(event.id) FILTER (
        WHERE jsonb_typeof(event.detail -> 'tokens') IS DISTINCT FROM 'number') AS unsound
"""

# A run that asked a model and has no note of it is unread, not free. Relies on the primary keys of
# events and of checkpoints.
COSTS: Final = f"""
{ARM}, noted AS (
    SELECT arm.id, {NOTES}
      FROM arm LEFT JOIN checkpoints_event AS event
        ON event.run_id = arm.id AND event.what = %(asked)s::text
     WHERE arm.{ENDED} AND (arm.mode = 'live' OR arm.status = 'succeeded') GROUP BY arm.id
), priced AS (
    SELECT coalesce(tokens, 0) AS tokens, unsound = 0 AND (notes > 0 OR NOT EXISTS (
        SELECT 1 FROM checkpoints_checkpoint AS done
         WHERE done.run_id = noted.id AND done.node = ANY(%(models)s::text[]))) AS is_read
      FROM noted
)
SELECT count(*) FILTER (WHERE is_read), avg(tokens) FILTER (WHERE is_read),
       var_samp(tokens) FILTER (WHERE is_read), count(*) FILTER (WHERE NOT is_read)
  FROM priced
"""  # noqa: S608 - names of ours


def count(arm: ArmOf) -> Cost:
    """Of runs that ended: those under way have not cost all they will, nor have shadows that stopped at
    an effect.
    """
    models = model_nodes(arm.subject.task_type)
    runs, mean, variance, unread = execute(COSTS, arm.values(asked=ASKED, models=models))[0]
    return Cost(runs, round(mean or 0.0, 6), round(variance or 0.0, 6), unread)


def model_nodes(task_type: str) -> list[str]:
    """By the graph of this installation; a task type it does not run has none it knows of."""
    try:
        nodes = graph_of(task_type).nodes
    except UnknownTaskTypeError:
        return []
    return sorted(node.name for node in nodes.values() if node.kind == MODEL)
