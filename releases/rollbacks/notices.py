"""Who is told of a rollback: whoever manages releases, and at the end also who ordered it."""

from django.urls import reverse
from django.utils.translation import gettext as _

from releases.gates import standing
from releases.rollbacks.models import Rollback
from tenants import access
from tenants.keys import hiding
from tenants.notifications import outbox
from tenants.notifications.outbox import Matter

RIGHT = "manage_releases"


def proposed(rollback: Rollback) -> None:
    """In the transaction in which a machine proposed it: a person has to order it, or look."""
    text = _("A release of “%(task)s” at %(tenant)s was stopped; rollback %(name)s waits for you.")
    if rollback.release.place == standing.STABLE:
        text = _(
            "What is stable of “%(task)s” at %(tenant)s broke a safety constraint; rollback %(name)s"
            " waits for you."
        )
    if rollback.release.is_frozen:
        text = _(
            "A release of “%(task)s” at %(tenant)s went wrong again after a rollback. Nothing more is"
            " rolled back by itself; rollback %(name)s waits for you."
        )
    _put(rollback, "rollback_proposed", text)


def began(rollback: Rollback) -> None:
    """In the transaction in which a machine started it."""
    text = _("A release of “%(task)s” at %(tenant)s is being rolled back by itself: %(name)s.")
    _put(rollback, "rollback_began", text)


def closed(rollback: Rollback) -> None:
    """In the transaction that closed it."""
    text = _("Rollback %(name)s of “%(task)s” at %(tenant)s is closed: nothing is open.")
    _put(rollback, "rollback_closed", text)


def _put(rollback: Rollback, kind: str, text: str) -> None:
    told = {
        "task": rollback.release.task_type,
        "tenant": rollback.tenant.name,
        "name": str(rollback),
    }
    path = reverse("rollback", args=[rollback.tenant.slug, rollback.number])
    matter = Matter(kind, f"rollback:{rollback.pk}", path, hiding.text(text % told))
    outbox.put(rollback.tenant, access.holders(rollback.tenant, RIGHT), matter)
