"""How people answered what an arm asked: how many of its questions got a no."""

from typing import Final

from releases.gates.samples import Count
from releases.numbers.subjects import ARM, ArmOf
from tenants.database import execute

# Of a question `asked`. One that a rule answered, or nobody, says nothing of what people think of it;
# a no is also what is sent back (`approvals.states.ANSWERED_NO`).
REJECTED: Final = "asked.state IN ('rejected', 'sent_back')"
ANSWERED: Final = f"""({REJECTED} OR asked.state IN ('approved', 'used'))
   AND EXISTS (SELECT 1 FROM approvals_decision AS said WHERE said.request_id = asked.id)"""  # noqa: S608 - names of ours

# Relies on requests_by_run_newest.
ANSWERS: Final = f"""
{ARM}
SELECT count(*) FILTER (WHERE {REJECTED}), count(*)
  FROM approvals_approvalrequest AS asked JOIN arm ON arm.id = asked.run_id
 WHERE {ANSWERED}
"""  # noqa: S608 - names of ours


def count(arm: ArmOf) -> Count:
    """Those answered with no, of those answered by people."""
    rejected, answered = execute(ANSWERS, arm.values())[0]
    return Count(rejected, answered)
