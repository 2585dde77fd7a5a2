"""Effects that were compensated: another effect took them back, and is known to have happened.

Derived, never stored: what compensates may itself come to nothing.
"""

from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from reconciliation import states
from reconciliation.models import Action

COMPENSATED: Final = "compensated"
# Index: the foreign key compensates.
BY_ANOTHER: Final = Exists(
    Action.objects.filter(compensates=OuterRef("pk"), outcome=states.HAPPENED)
)


def mark(actions: QuerySet[Action]) -> QuerySet[Action]:
    """Each with `undone`: whether it was compensated."""
    return actions.annotate(undone=BY_ANOTHER)


def code_of(action: Action) -> str:
    """The code of a marked action's pill: compensated, its outcome, else where it stands."""
    return COMPENSATED if action.undone else action.outcome or action.stands  # type: ignore[attr-defined]


def by(action: Action) -> Action | None:
    """The first effect that compensated this one."""
    return action.compensations.filter(outcome=states.HAPPENED).order_by("settled_at").first()
