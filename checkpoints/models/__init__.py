"""The tables of the record. Rules that must never break are constraints here, named as sentences;
what Meta cannot say stands in the `.sql` beside the first migration."""

from checkpoints.models.desk import Claim, Note, OutsideWait
from checkpoints.models.fork import Fork, Reuse
from checkpoints.models.record import Blob, BlobReference, Checkpoint, Event
from checkpoints.models.repin import Repin, Successor
from checkpoints.models.route import Override, Route
from checkpoints.models.ruling import ProposedVerdict, Superseded
from checkpoints.models.run import Combo, Run
from checkpoints.models.rung import RungStep
from checkpoints.models.stop import CallOut, Lifting, Stop
from checkpoints.models.twin import ShadowDryRun, Twin
from checkpoints.models.versions import Registration, WorkerCode
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
    "Override",
    "ProposedVerdict",
    "Recovery",
    "Registration",
    "Repin",
    "Reuse",
    "Route",
    "Run",
    "RungStep",
    "ShadowDryRun",
    "Stop",
    "Successor",
    "Superseded",
    "Twin",
    "Verdict",
    "WorkerCode",
]
