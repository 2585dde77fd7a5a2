"""Beside the sweeper: what is due is sent by one thread, and the sweeper waits for nobody."""

import threading

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from execution import senders
from tenants.notifications import outbox, sending
from tenants.notifications.models import Notification
from tenants.notifications.outbox import Matter
from tests.people import ada, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _on(settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    settings.KEDGE_SMTP_PORT = 1


def test_nothing_due_starts_no_thread() -> None:
    assert senders.send() == 0


def test_what_is_due_is_sent_beside_and_a_failure_is_kept() -> None:
    tenant = make_tenant()
    outbox.put(tenant, [ada(tenant)], Matter("stop_set", "stop:1", "/t/acme/stop/", "Stopped."))
    assert senders.send() == 1
    assert senders.wait(10)
    row = Notification.objects.get()
    assert (row.state, row.tries) == ("waiting", 1)
    assert "ConnectionRefusedError" in row.error


def test_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tenant = make_tenant()
    outbox.put(tenant, [ada(tenant)], Matter("stop_set", "stop:1", "/t/acme/stop/", "Stopped."))
    go_on = threading.Event()
    monkeypatch.setattr(sending, "send_due", lambda: go_on.wait(10) and 0)
    assert senders.send() == 1
    assert senders.send() == 0
    go_on.set()
    assert senders.wait(10)


def test_reminders_are_looked_for_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(sending, "prune", lambda: looked.append(1))
    Notification.objects.filter(made_at__lt=Now()).delete()
    senders._reminders.forget()
    assert (senders.remind(), senders.remind(), len(looked)) == (0, 0, 1)
    senders._reminders.forget()
    assert (senders.remind(), len(looked)) == (0, 2)
