"""The outbox is filled with the verb, once per person, channel and matter, as each person wishes."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from tenants import clock
from tenants.notifications import outbox
from tenants.notifications.models import Notification, NotificationChoice
from tenants.notifications.outbox import Matter
from tests.people import ada, bob, dee, make_tenant

pytestmark = pytest.mark.django_db
MATTER = Matter("request_asked", "request:1", "/t/acme/approvals/1/", "A run asks for permission.")


def test_each_person_is_told_on_their_channels_once() -> None:
    tenant = make_tenant()
    people = [ada(tenant), bob(tenant), dee(tenant)]
    NotificationChoice.objects.create(person=people[1], by_mail=False, webhook="sealed")
    NotificationChoice.objects.create(person=people[2], by_mail=False)
    for _ in range(2):
        outbox.put(tenant, people, MATTER)
    rows = Notification.objects.order_by("person_id")
    assert [(row.person, row.channel) for row in rows] == [
        (people[0], "mail"),
        (people[1], "webhook"),
    ]
    assert {row.state for row in rows} == {"waiting"}


def test_what_is_rolled_back_is_told_to_nobody() -> None:
    tenant = make_tenant()
    with transaction.atomic():
        assert outbox.put(tenant, [ada(tenant)], MATTER) == 1
        transaction.set_rollback(True)
    assert not Notification.objects.exists()


def test_what_is_settled_needs_no_telling() -> None:
    tenant = make_tenant()
    outbox.put(tenant, [ada(tenant)], MATTER)
    assert outbox.forget("request:2") == 0
    assert outbox.forget("request:1") == 1
    assert Notification.objects.get().state == "dropped"


def test_switched_off_it_asks_nothing_of_the_database(
    settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.KEDGE_NOTIFICATIONS = False
    person = ada()
    with django_assert_num_queries(0):
        assert outbox.put(None, [person], MATTER) == 0
        assert outbox.forget("request:1") == 0


def test_s128_what_goes_out_when_is_written_by_the_clock_that_judges_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A machine that is an hour ahead holds no mail back for an hour."""
    ahead = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: ahead)
    tenant = make_tenant()
    outbox.put(tenant, [ada(tenant)], MATTER)
    outbox.insist(bob(tenant), MATTER)
    assert Notification.objects.filter(not_before__lte=clock.now()).count() == 2
