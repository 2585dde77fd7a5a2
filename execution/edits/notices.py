"""Who is told of an edit: those who may decide it. Texts name the task type and the tenant only."""

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from approvals.edits import waiting
from approvals.models import EditRequest
from tenants import access
from tenants.keys import hiding
from tenants.models import User
from tenants.notifications import outbox
from tenants.notifications.outbox import Matter


def asked(edit: EditRequest) -> None:
    """Tell everybody who may decide; in the transaction that proposed it."""
    if not settings.KEDGE_NOTIFICATIONS:
        return
    text = _(
        "A state written by hand for a run of “%(task)s” at %(tenant)s waits for a second person."
    )
    said = hiding.text(text % {"task": edit.run.task_type, "tenant": edit.tenant.name})
    path = reverse("edit", args=[edit.tenant.slug, edit.pk])
    matter = Matter("request_asked", f"edit:{edit.pk}", path, said)
    outbox.put(edit.tenant, deciders(edit), matter)


def settled(edit: EditRequest) -> None:
    """Nobody needs to be told of this edit any more."""
    outbox.forget(f"edit:{edit.pk}")


def deciders(edit: EditRequest) -> list[User]:
    """The people who may decide an edit, oldest first."""
    holders = access.holders(edit.tenant, "approve_actions")
    held = {
        name: access.who_may(edit.tenant_id, name, [user.pk for user in holders])
        for name in ("view_runs", "read_payloads")
    }
    found = []
    for user in holders:
        rights = frozenset({"approve_actions", *(name for name in held if user.pk in held[name])})
        if not waiting.why_not(edit, user_id=user.pk, email=user.email, rights=rights):
            found.append(user)
    return found
