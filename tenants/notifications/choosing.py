"""The verb behind the page: a person chooses how they are told, audited without the webhook."""

from typing import Any

from django.db import transaction

from canonical.redaction import ours
from tenants.actors import Actor
from tenants.audit import record
from tenants.keys import hiding, people
from tenants.models import User
from tenants.notifications.models import NotificationChoice

PLAIN = ("by_mail", "digest", "quiet_from", "quiet_until", "zone")


def choice_of(person: User) -> NotificationChoice:
    """What the person chose, or how everybody starts."""
    known = NotificationChoice.objects.filter(person=person).first()
    return known or NotificationChoice(person=person)


def choose(person: User, given: dict[str, Any]) -> NotificationChoice:
    """Keep what the form says; an empty webhook keeps the old one, `forget_webhook` removes it.

    Raises `KeyRingError` for a webhook that cannot be encrypted.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=person.pk)
        choice = choice_of(person)
        for name in PLAIN:
            setattr(choice, name, given[name])
        if given["forget_webhook"]:
            choice.webhook = ""
        elif given["webhook_url"]:
            choice.webhook = people.sealed(person.pk, given["webhook_url"], use=people.WEBHOOK)
        choice.save()
        told = {"by_mail": choice.by_mail, "by_webhook": bool(choice.webhook)}
        record(
            None,
            Actor.person(person),
            "choose_notifications",
            ours("person:%(id)s", id=person.pk),
            digest=hiding.text(choice.digest),
            zone=hiding.text(choice.zone),
            **told,
        )
    return choice


def webhook_of(choice: NotificationChoice) -> str:
    """The address of the person's webhook, "" for none. Raises `KeysError` when it does not open."""
    return people.opened(choice.webhook, use=people.WEBHOOK) if choice.webhook else ""
