"""What an arm did to the world: effects that happened, that were looked up again, that are there twice."""

from typing import Final

from execution.recoveries.defining import CHECKED, DUPLICATE, HAPPENED
from releases.gates.samples import Effects
from releases.numbers.subjects import ARM, ArmOf
from tenants.database import execute

# By the one definition. Relies on actions_by_run, and on the index of cases by run.
EFFECTS: Final = f"""
{ARM}
SELECT count(*), count(*) FILTER (WHERE {CHECKED}),
       (SELECT count(*) FROM checkpoints_case JOIN arm ON arm.id = run_id WHERE {DUPLICATE})
  FROM (
    SELECT action.id, action.outcome
      FROM reconciliation_action AS action JOIN arm ON arm.id = action.run_id
  ) AS newest
 WHERE {HAPPENED}
"""  # noqa: S608 - names of ours


def count(arm: ArmOf) -> Effects:
    """Of the arm's own runs; `releases.numbers.safety` finds duplicates of every run."""
    happened, checked, arrived = execute(EFFECTS, arm.values())[0]
    return Effects(happened=happened, checked=checked, arrived=arrived)
