"""What can be refused of a plan; each docstring is the sentence an operator reads."""

from checkpoints.errors import RecordError


class PlanRefusedError(RecordError):
    """This plan cannot be made or moved like that. Nothing was changed."""


class EmptyPlanError(PlanRefusedError):
    """No run was chosen, and an empty filter is never a plan. Nothing was changed."""


class PlanMovedError(PlanRefusedError):
    """This is not the plan that your page showed; load the page again. Nothing was changed."""


class NumberNotTypedError(PlanRefusedError):
    """A plan of so many takes its number typed. Nothing was changed."""


class SecondNeededError(PlanRefusedError):
    """This plan takes a second person: somebody else has to say yes to it first."""
