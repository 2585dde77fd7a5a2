"""What a person may decide in a case, and what follows. A verdict never sends anything by itself.

`choices` says which verdicts a case can get, what each one does in one sentence, and whether it
needs evidence. `give` records one and lets the run go on; where the rules demand a second person
it is proposed, and `agree` lets it count. `supersede` takes one back.
"""

from checkpoints.states import (
    CANCEL,
    COMPENSATE,
    GO_ON_FROM,
    IT_DID_NOT,
    IT_HAPPENED,
    IT_STANDS,
    LOOK_UP_AGAIN,
    ONLY_ONE,
    SEND_AGAIN,
    TRY_AGAIN,
    WRITE_OFF,
    WRITE_OFF_AND_STOP,
)
from reconciliation.verdicts.choosing import CHOICES, choices, label_of
from reconciliation.verdicts.giving import agree, decline, give
from reconciliation.verdicts.superseding import supersede
from reconciliation.verdicts.terms import Choice, Given, Seen

__all__ = [
    "CANCEL",
    "CHOICES",
    "COMPENSATE",
    "GO_ON_FROM",
    "IT_DID_NOT",
    "IT_HAPPENED",
    "IT_STANDS",
    "LOOK_UP_AGAIN",
    "ONLY_ONE",
    "SEND_AGAIN",
    "TRY_AGAIN",
    "WRITE_OFF",
    "WRITE_OFF_AND_STOP",
    "Choice",
    "Given",
    "Seen",
    "agree",
    "choices",
    "decline",
    "give",
    "label_of",
    "supersede",
]
