"""What was made of an outcome that is in doubt now: it stands, whatever is decided."""

from typing import Any, Final

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _

from canonical import display
from checkpoints import states
from checkpoints.models import Case, Run
from reconciliation.models import Action
from reconciliation.pages.casefacts import fact, run_url

KINDS: Final = (states.CONTRADICTED, states.DUPLICATE_EFFECT)
MOST_SHOWN: Final = 10


def of(case: Case, action: Action | None) -> list[dict[str, Any]]:
    """What the run did since it took the outcome in; empty when it has not, or for other kinds."""
    if case.kind not in KINDS or action is None:
        return []
    return [*_since(case.run, action), *_undone_by(action)]


def _since(run: Run, action: Action) -> list[dict[str, Any]]:
    if action.absorbed_seq is None:
        return [fact(_("The run"), _("has not taken in what became of this effect"))]
    more = run.head - action.absorbed_seq
    taken = _("at checkpoint %(n)s; %(more)s committed since") % {
        "n": action.absorbed_seq,
        "more": more,
    }
    told = [fact(_("The run took it in"), taken)]
    if run.status in states.FINAL:
        told.append(fact(_("The run ended"), run.sentence, run.finished_at))
    after = Action.objects.filter(run=run, proposed_seq__gt=action.absorbed_seq)
    sent = after.defer("parameters").annotate(sent=Count("attempts")).filter(sent__gt=0)
    slug = run.tenant.slug
    for each in sent.order_by("proposed_seq")[:MOST_SHOWN]:
        url = reverse("reconciliation:action", args=[slug, each.pk])
        told.append(fact(_("Sent since"), display.visible(each.describe), each.proposed_at, url))
    hidden = sent.count() - MOST_SHOWN
    if hidden > 0:
        told.append(fact(_("Sent since"), _("%(n)s more") % {"n": hidden}))
    return told


def _undone_by(action: Action) -> list[dict[str, Any]]:
    """Runs that undo it: bound to it by their own proposal."""
    undoing = Action.objects.filter(compensates=action).select_related("run", "tenant")
    return [
        fact(
            _("Undone by"),
            display.visible(each.describe),
            each.proposed_at,
            run_url(each.run, each.tenant.slug),
            each.run.sentence,
        )
        for each in undoing.defer("parameters").order_by("proposed_at")[:MOST_SHOWN]
    ]
