"""What the page of a case offers of this room: to fork its run, and to see two proposals side by side."""

from collections.abc import Iterator
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _

from checkpoints import states
from checkpoints.models import Case
from reconciliation.verdicts.offers import Offered

FORKING: Final = "operate_runs"
READING: Final = "read_payloads"
# While an effect is unknown nobody goes past it: that case is decided first.
NOT_FROM: Final = (states.OUTCOME_UNKNOWN,)


def offers(case: Case, may: frozenset[str]) -> Iterator[Offered]:
    """For `settings.CASE_OFFERS`: while the case is open."""
    if case.decided_at is not None or case.closed_at is not None:
        return
    slug = case.tenant.slug
    if is_about_two(case) and READING in may:
        follows = _("What is proposed now beside what was proposed before, field by field.")
        url = reverse("two_proposals", args=[slug, case.pk])
        yield Offered(_("Compare both proposals"), follows, url)
    if FORKING in may and case.kind not in NOT_FROM:
        follows = _(
            "A new run begins from one of its checkpoints. You see first what would become of its"
            " effects. This case stays open."
        )
        yield Offered(_("Fork the run"), follows, reverse("fork_run", args=[slug, case.run_id]))


def is_about_two(case: Case) -> bool:
    """Whether the case is about another effect under the key of an earlier one."""
    return (
        case.kind == states.CONTRADICTED and "proposed" in case.facts and case.action_id is not None
    )
