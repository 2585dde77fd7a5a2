"""Those who may decide an edit are told of it, and nobody once it is decided."""

import pytest
from pytest_django import Settings

from tenants.notifications.models import Notification
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def test_who_may_decide_is_told_until_it_is_decided(desk: Desk, settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    edit = desk.write({"amount": 7})
    told = Notification.objects.filter(subject=f"edit:{edit.pk}", state="waiting")
    assert list(told.values_list("person__name", flat=True).distinct()) == ["Dee"]
    assert "the amount is wrong" not in " ".join(told.values_list("text", flat=True))
    desk.decide(edit, "reject", "no")
    assert not told.exists()
