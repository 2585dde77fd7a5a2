"""The action ledger: the only writer of actions, attempts, receipts and look-ups.

Lock order: run, then action, then request. What must be judged under a lock is locked first by a
statement of its own, then judged (rule 4). Outside calls happen only between these verbs.
"""

from reconciliation.ledger.answers import Answer, record_answer, record_look_up
from reconciliation.ledger.dispatches import dispatch
from reconciliation.ledger.outcomes import (
    end_attempt,
    give_up_proposal,
    note_unknown,
    reopen_attempt,
    settle,
)
from reconciliation.ledger.proposals import absorb, ledger_key, mark, propose, repropose
from reconciliation.ledger.reads import (
    WORKER,
    effects_that_stand,
    in_world,
    of_key,
    open_action,
    receipt_heard,
)

__all__ = [
    "WORKER",
    "Answer",
    "absorb",
    "dispatch",
    "effects_that_stand",
    "end_attempt",
    "give_up_proposal",
    "in_world",
    "ledger_key",
    "mark",
    "note_unknown",
    "of_key",
    "open_action",
    "propose",
    "receipt_heard",
    "record_answer",
    "record_look_up",
    "reopen_attempt",
    "repropose",
    "settle",
]
