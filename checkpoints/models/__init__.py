"""The tables of the record. Rules that must never break are constraints here, named as sentences;
what Meta cannot say stands in the `.sql` beside the first migration."""

from checkpoints.models.desk import Claim, Note, OutsideWait
from checkpoints.models.fork import Fork, Reuse
from checkpoints.models.record import Blob, BlobReference, Checkpoint, Event
from checkpoints.models.ruling import ProposedVerdict, Superseded
from checkpoints.models.run import Combo, Run
from checkpoints.models.stop import CallOut, Lifting, Stop
from checkpoints.models.waiting import Case, Recovery, Verdict

__all__ = [
    "Blob",
    "BlobReference",
    "CallOut",
    "Case",
    "Checkpoint",
    "Claim",
    "Combo",
    "Event",
    "Fork",
    "Lifting",
    "Note",
    "OutsideWait",
    "ProposedVerdict",
    "Recovery",
    "Reuse",
    "Run",
    "Stop",
    "Superseded",
    "Verdict",
]
