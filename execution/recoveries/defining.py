"""What the three numbers count, in SQL: the one definition that pages, metrics and gates share.

Each is a condition or a value over columns of `checkpoints_recovery`, of `reconciliation_action`
(as `newest`), or of `checkpoints_case`.
"""

from typing import Final

from checkpoints import states
from reconciliation import states as world

# A recovery that was interrupted itself goes on as the next one, which stands for it.
BEGUN: Final = "ended <> 'interrupted'"
RECOVERED: Final = "ended = 'recovered'"
BY_PERSON: Final = "ended = 'by_person'"
UNDER_WAY: Final = "ended = ''"

# From the notice of the interruption to the next boundary, and to the next worker.
SECONDS: Final = "extract(epoch FROM new_boundary_at - noticed_at)::float8"
TAKEOVER_SECONDS: Final = "extract(epoch FROM taken_over_at - noticed_at)::float8"

# Of the effects that happened, those that were found in the world when somebody looked.
HAPPENED: Final = "outcome = 'happened'"
CHECKED: Final = """EXISTS (
           SELECT 1 FROM reconciliation_attempt AS attempt
             JOIN reconciliation_lookup AS look_up ON look_up.attempt_id = attempt.id
            WHERE attempt.action_id = newest.id AND look_up.answer = 'found'
       )"""
# Those of which a look-up was the first to say so: they were there, and were not sent again. The
# evidence of a run tells the same from the receipts.
STOPPED: Final = f"because = '{world.LOOKED_UP}'"
# One that arrived twice, whoever noticed.
DUPLICATE: Final = f"kind = '{states.DUPLICATE_EFFECT}'"
