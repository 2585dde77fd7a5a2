"""What the page of a case offers of this room: to write its run's state, and what became of that."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from approvals import states
from approvals.edits import waiting
from checkpoints import states as record
from checkpoints.models import Case
from execution.edits import judging
from reconciliation.verdicts.offers import Offered


def offers(case: Case, may: frozenset[str]) -> Iterator[Offered]:
    """For `settings.CASE_OFFERS`: the edit that waits here, else the way to write one."""
    slug = case.tenant.slug
    for edit in waiting.of_case(case.pk, limit=1):
        if edit.state in states.LIVE:
            label = _("A state written by hand waits for a second person")
            follows = _("%(who)s wrote it. Nothing changes before somebody else approves it.")
            yield Offered(
                label, follows % {"who": edit.author}, reverse("edit", args=[slug, edit.pk])
            )
            return
    is_open = case.decided_at is None and case.closed_at is None
    if not is_open or case.kind not in judging.EDITABLE or not set(judging.WRITING) <= may:
        return
    by_hand = case.kind == record.UNMIGRATABLE
    label = _("Migrate the state by hand") if by_hand else _("Edit the state by hand")
    follows = _(
        "You change it, and a second person approves the difference. Then it is committed with both "
        "your names. Nothing is sent."
    )
    yield Offered(label, follows, reverse("write_edit", args=[slug, case.pk]))
