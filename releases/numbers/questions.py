"""How people answered what an arm asked: how many of its questions got a no."""

from typing import Final

from releases.gates.samples import Count
from releases.numbers.subjects import ARM, ArmOf
from tenants.database import execute

# A question that a rule answered, or nobody, says nothing of what people think of it; a no is also
# what is sent back (`approvals.states.ANSWERED_NO`). Relies on requests_by_run_newest.
ANSWERS: Final = f"""
{ARM}
SELECT count(*) FILTER (WHERE asked.state IN ('rejected', 'sent_back')), count(*)
  FROM approvals_approvalrequest AS asked JOIN arm ON arm.id = asked.run_id
 WHERE asked.state IN ('approved', 'used', 'rejected', 'sent_back')
   AND EXISTS (SELECT 1 FROM approvals_decision AS said WHERE said.request_id = asked.id)
"""  # noqa: S608 - names of ours


def count(arm: ArmOf) -> Count:
    """Those answered with no, of those answered by people."""
    rejected, answered = execute(ANSWERS, arm.values())[0]
    return Count(rejected, answered)
