"""What comes past the type check, as `Any`, is redacted by the sink itself: in rows, mail, webhook."""

from typing import Any

import pytest
from pytest_django import Settings

from canonical.redaction import Hidden, Known
from checkpoints import events
from checkpoints.models import Run
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.notifications import outbox
from tenants.notifications.models import Notification
from tenants.notifications.outbox import Matter
from tests.engine.turns import Bench
from tests.secrecy.registry import MAIL, PASSWORD
from tests.secrecy.sinks import leaking, quoted

pytestmark = pytest.mark.django_db(transaction=True)

ALL: Any = quoted(PASSWORD, MAIL)
DEEP: Any = {"a": [ALL, {"b": PASSWORD}]}
ME = Actor.machine("test")


def test_each_sink_hides_what_is_known_here_and_now(
    careless: Bench, run: Run, settings: Settings
) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    known = Known(Hidden(value, "«secret 0»") for value in (PASSWORD, MAIL))
    with hiding.hiding(known):
        row = audit.record(careless.tenant, ME, "start", hiding.text(ALL), why=ALL, deep=DEEP)
        events.append(run.id, "noted", ME, why=ALL, deep=DEEP)
        matter = Matter("stop_set", "stop:1", "/", ALL)  # type: ignore[arg-type]
        outbox.put(careless.tenant, [careless.approver], matter)
    assert row.detail["why"].startswith("It was «secret 0»")
    assert Notification.objects.get().text.startswith("It was «secret 0»")
    assert leaking() == []
