"""Record and world are apart: effects stop by themselves, and nothing allowed before counts any more."""

from collections.abc import Iterable
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from approvals import requests
from approvals import states as permission
from approvals.models import Approval
from canonical.redaction import ours
from reconciliation import states as world
from reconciliation import stopping
from reconciliation.behind.models import Divergence
from reconciliation.models import Action
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding

MOST_AT_ONCE: Final = 200
BY: Final = Actor.machine("journal")

# What is wrong, in a sentence each, for the stop and for the page.
SENTENCES: Final = {
    "record_behind": "the journal has effects that this record lacks: it is older than the world",
    "other_system": "this record is on another PostgreSQL than the one it was written on",
    "other_timeline": "this PostgreSQL went another way since: it was promoted or restored",
    "journal_lost": "the journal lacks effects that this record has: it was lost or cut",
    "journal_other": "this is another journal, or a copy of the one that belongs to this record",
    "journal_broken": "lines of the journal were changed or taken out of it",
    "journal_claimed": "another PostgreSQL is worked for with this journal: this may be a clone",
}
SHOWN: Final = {
    "record_behind": _("The journal has effects that this record lacks."),
    "other_system": _("The record is on another PostgreSQL than the one it was written on."),
    "other_timeline": _("PostgreSQL went another way since: it was promoted, or restored."),
    "journal_lost": _("The journal lacks effects that this record has: it was lost or cut."),
    "journal_other": _("It is another journal, or a copy of the one that belongs to this record."),
    "journal_broken": _("Lines of the journal were changed, or taken out of it."),
    "journal_claimed": _(
        "Another PostgreSQL is worked for with this journal: this may be a clone."
    ),
}


def notice(codes: Iterable[str], seen: dict[str, Any], *, by: Actor) -> Divergence:
    """Stop all effects, once; returns what is open. Codes that come later are added to it.

    Without a place `seen` says nothing of the journal, and what is known of it stays.
    """
    found = list(dict.fromkeys(codes))
    standing = Divergence.objects.filter(ended_at=None).first()
    if standing is None:
        try:
            with transaction.atomic():
                return _stopped(found, seen, by)
        except IntegrityError:  # somebody noticed it at the same moment
            standing = Divergence.objects.get(ended_at=None)
    more = [code for code in found if code not in standing.codes]
    if more:
        _add(standing, more, by)
    still_open(seen)
    standing.refresh_from_db()
    return standing


def still_open(seen: dict[str, Any]) -> Divergence | None:
    """What is open, with what is there by now; None when record and world are together."""
    standing = Divergence.objects.filter(ended_at=None).first()
    if standing is not None and standing.seen | seen != standing.seen:
        Divergence.objects.filter(pk=standing.pk, ended_at=None).update(seen=standing.seen | seen)
        standing.seen = standing.seen | seen
    return standing


def withdraw_grants() -> int:
    """Withdraw approvals that were given before and not used, a few at once; returns how many.

    In what was lost they may have been used (rule 13).
    """
    standing = Divergence.objects.filter(ended_at=None).first()
    if standing is None:
        return 0
    grants = Approval.objects.filter(
        state=permission.UNUSED,
        granted_at__lte=standing.noticed_at,
        request__state=permission.APPROVED,
    )
    actions = list(grants.values_list("request__action_id", flat=True)[:MOST_AT_ONCE])
    reason = ours("Record and world went apart: what was allowed before may have been done.")
    for action in actions:
        requests.withdraw(action, actor=BY, reason=reason)
    return len(actions)


def _stopped(codes: list[str], seen: dict[str, Any], by: Actor) -> Divergence:
    why = "; ".join(SENTENCES[code] for code in codes)
    stop = stopping.stop(None, "effects", why=f"{why[0].upper()}{why[1:]}.", actor=by)
    made = Divergence.objects.create(stop=stop, codes=codes, seen=seen, noticed_by=by.name)
    made.refresh_from_db()
    # What had no answer when the record was written has none now: it is found out.
    Action.objects.filter(stands=world.DISPATCHED, outcome=world.OPEN).update(outcome=world.UNKNOWN)
    _tell(made, codes, by)
    return made


def _add(standing: Divergence, codes: list[str], by: Actor) -> None:
    with transaction.atomic():
        locked = Divergence.objects.select_for_update().get(pk=standing.pk)
        more = [code for code in codes if code not in locked.codes]
        if locked.ended_at is None and more:
            Divergence.objects.filter(pk=locked.pk).update(codes=locked.codes + more)
            _tell(locked, more, by)


def _tell(divergence: Divergence, codes: list[str], by: Actor) -> None:
    subject = ours("divergence %(id)s", id=divergence.pk)
    audit.record(
        None,
        by,
        "noticed divergence",
        subject,
        codes=hiding.text(", ".join(codes)),
        stop=divergence.stop_id,
        system=hiding.text(str(divergence.seen.get("system", ""))),
    )
