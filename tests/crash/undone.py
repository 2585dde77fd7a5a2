"""The runs that undo the effects of a run."""

from django.db.models import QuerySet

from checkpoints.models import Run
from reconciliation.models import Action
from reconciliation.verdicts import compensating


def runs_of(business_key: str) -> QuerySet[Run]:
    """All that were begun for the run of a business key, the oldest first."""
    found = Run.objects.none()
    for action in Action.objects.filter(run__business_key=business_key):
        began = f"{compensating.beginning(action)} "
        found |= Run.objects.filter(business_key__startswith=began)
    return found.order_by("id")
