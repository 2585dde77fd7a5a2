"""How the runs of an arm went: how many began, ended, failed, needed a person or got no worker."""

from dataclasses import dataclass
from typing import Final

from checkpoints import states
from releases.gates.samples import Count
from releases.numbers.subjects import ARM, LOOKED_AT, ArmOf
from tenants.database import execute

# A run that is due and that nobody took for so long needs a person too: no live worker runs its
# code (aion#178 showed such runs as running for ever). Queued or woken from a wait, as
# `execution.unmanned` sees it. Runs from before the shares moved are in no arm, so they count nowhere:
# all of them are the stable combo's, and would make the candidate look better than it is.
NOT_TAKEN_SECONDS: Final = 600


@dataclass(frozen=True)
class Runs:
    """`held` are those of `assigned` that ever had a case (or would have, as shadows), or that no worker took."""

    assigned: int
    ended: int
    failed: Count
    held: Count
    is_cut: bool


ENDED: Final = f"status IN {states.FINAL}"
# What puts a live run on hold ends a shadow: it counts as held, and not as failed.
TROUBLE: Final = f"stop_reason = '{states.SHADOW_TROUBLE}'"
# Of `run`: it needed a person. Relies on the index of cases by run.
NEEDED: Final = f"""(
    {TROUBLE} OR EXISTS (SELECT 1 FROM checkpoints_case AS had WHERE had.run_id = run.id)
    OR status IN ('{states.QUEUED}', '{states.WAITING}')
       AND due_at < clock_timestamp() - make_interval(secs => %(wait)s)
)"""  # noqa: S608 - names of ours

RUNS: Final = f"""
{ARM}
SELECT count(*), count(*) FILTER (WHERE {ENDED}),
       count(*) FILTER (WHERE status = 'failed' AND NOT {TROUBLE}),
       count(*) FILTER (WHERE status IN ('succeeded', 'failed') AND NOT {TROUBLE}),
       count(*) FILTER (WHERE {NEEDED}),
       (SELECT count(*) FROM newest_runs)
  FROM arm AS run
"""  # noqa: S608 - names of ours


def count(arm: ArmOf) -> Runs:
    """A cancelled run is ended, and neither failed nor succeeded: a person ended it, or it is a shadow
    that came to an effect whose outcome it could not borrow.
    """
    values = arm.values(wait=float(NOT_TAKEN_SECONDS))
    assigned, ended, failed, judged, held, newest = execute(RUNS, values)[0]
    return Runs(
        assigned=assigned,
        ended=ended,
        failed=Count(failed, judged),
        held=Count(held, assigned),
        is_cut=newest >= LOOKED_AT,
    )
