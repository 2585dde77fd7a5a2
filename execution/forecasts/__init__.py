"""Effect forecasts: what would be reused, sent, asked or blocked, said before anybody presses.

One home for Resume, Retry, Go on from, Cancel and Fork. `of` and `of_each` read, and change nothing.
"""

from execution.forecasts.forecast import Forecast, Line, of, of_each
from execution.forecasts.judging import KINDS
from execution.forecasts.transitions import Transition

__all__ = ["KINDS", "Forecast", "Line", "Transition", "of", "of_each"]
