"""The tables of permission. Rules that must never break are constraints here, named as sentences;
what Meta cannot say stands in the `.sql` beside the migrations."""

from approvals.models.edits import EditDecision, EditRequest
from approvals.models.freshness import Freshness
from approvals.models.openings import OpenedPart
from approvals.models.permission import Approval, ApprovalRequest, Decision, TakenBack
from approvals.models.secondlooks import SecondLook, SecondLookTurn, SeenRemarks
from approvals.models.together import Batch, BatchEntry, HandOver
from approvals.models.toolclasses import ToolClass

__all__ = [
    "Approval",
    "ApprovalRequest",
    "Batch",
    "BatchEntry",
    "Decision",
    "EditDecision",
    "EditRequest",
    "Freshness",
    "HandOver",
    "OpenedPart",
    "SecondLook",
    "SecondLookTurn",
    "SeenRemarks",
    "TakenBack",
    "ToolClass",
]
