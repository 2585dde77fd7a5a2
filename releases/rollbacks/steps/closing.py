"""⑥ It closes by itself, when nothing is open any more; the combo stays stopped."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from releases.rollbacks import board
from releases.rollbacks.models import Rollback
from releases.rollbacks.steps import reconciling


def step(rollback: Rollback) -> str:
    """Waits for people to sign off what the combo did."""
    reconciling.keep(rollback)
    effects = board.open_effects(rollback)
    runs = rollback.runs.filter(ended="").count()
    if runs:
        return _("Waits for what becomes of %(n)d runs.") % {"n": runs}
    if not effects:
        return ""
    told = ngettext(
        "Waits for %(n)d effect to be compensated or accepted.",
        "Waits for %(n)d effects to be compensated or accepted.",
        effects,
    )
    return told % {"n": effects}
