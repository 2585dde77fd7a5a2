"""What an effect needs before it may happen: a versioned document, judged by deterministic code.

Pure. `document` reads the document, `evaluation` judges one effect by it, `requirements` is what
comes of it and stands in the record, `quorums` says who fills what.
"""

from approvals.rules.conditions import Effect, Window
from approvals.rules.document import RULES_SCHEMA, problems, read, read_verdicts
from approvals.rules.evaluation import (
    Deny,
    demand_of,
    evaluate,
    second_person_for,
    sums_needed,
)
from approvals.rules.people import Person, Quorum, Slot, Who
from approvals.rules.reading import Problem, UnreadableRulesError
from approvals.rules.requirements import LONGEST_EXPIRY_SECONDS, Requirement, covers
from approvals.rules.rule import Rule
from approvals.rules.verdict_rules import Ruled, VerdictRule

__all__ = [
    "LONGEST_EXPIRY_SECONDS",
    "RULES_SCHEMA",
    "Deny",
    "Effect",
    "Person",
    "Problem",
    "Quorum",
    "Requirement",
    "Rule",
    "Ruled",
    "Slot",
    "UnreadableRulesError",
    "VerdictRule",
    "Who",
    "Window",
    "covers",
    "demand_of",
    "evaluate",
    "problems",
    "read",
    "read_verdicts",
    "second_person_for",
    "sums_needed",
]
