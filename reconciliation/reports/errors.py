"""What is refused of a report. The docstring is the sentence an operator reads."""

from reconciliation.errors import WorldError


class ReportRefusedError(WorldError):
    """This report, or these columns, cannot be taken in."""
