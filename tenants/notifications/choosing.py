"""The verb behind the page: a person chooses how they are told, audited without the webhook."""

from typing import Any

from django.db import transaction

from tenants.actors import Actor
from tenants.audit import record
from tenants.models import User
from tenants.notifications.models import NotificationChoice

PLAIN = ("by_mail", "digest", "quiet_from", "quiet_until", "zone")


def choice_of(person: User) -> NotificationChoice:
    """What the person chose, or how everybody starts."""
    known = NotificationChoice.objects.filter(person=person).first()
    return known or NotificationChoice(person=person)


def choose(person: User, given: dict[str, Any]) -> NotificationChoice:
    """Keep what the form says; an empty webhook keeps the old one, `forget_webhook` removes it."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=person.pk)
        choice = choice_of(person)
        for name in PLAIN:
            setattr(choice, name, given[name])
        if given["forget_webhook"]:
            choice.webhook_url = ""
        elif given["webhook_url"]:
            choice.webhook_url = given["webhook_url"]
        choice.save()
        told = {"by_mail": choice.by_mail, "by_webhook": bool(choice.webhook_url)}
        record(
            None,
            Actor.person(person),
            "choose_notifications",
            f"person:{person.pk}",
            digest=choice.digest,
            zone=choice.zone,
            **told,
        )
    return choice
