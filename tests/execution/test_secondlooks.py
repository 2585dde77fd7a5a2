"""Second looks beside the sweeper: nobody waits for a model, and without one nobody is asked."""

from collections.abc import Iterator, Mapping
from threading import Event
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from approvals.looking.port import Answered
from approvals.models import ApprovalRequest, SecondLook, SecondLookTurn
from execution import secondlooks, sweeper
from tests.approvals.looking.lookers import NOTHING, Says, asked
from tests.approvals.questions import approved_by
from tests.approvals.racing import until
from tests.engine import registry
from tests.engine.turns import Bench
from tests.people import dee

pytestmark = pytest.mark.django_db(transaction=True)
DUTY = "ask second looks"


class Hanging(Says):
    """A model that stands still until the test lets it go; it sees no transaction around it."""

    def __init__(self) -> None:
        super().__init__([NOTHING])
        self.go, self.in_transaction = Event(), list[bool]()

    def ask(self, content: str, schema: Mapping[str, Any]) -> Answered:
        self.in_transaction.append(connection.in_atomic_block)
        self.shown.append(content)
        assert self.go.wait(30)
        return Answered(NOTHING, 1, 1)


@pytest.fixture
def hanging(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    looker = Hanging()
    monkeypatch.setattr(registry, "SECOND_LOOK", looker, raising=False)
    yield looker
    looker.go.set()
    assert secondlooks.wait(10)


def test_a_round_asks_about_what_is_open_and_keeps_what_was_said(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "SECOND_LOOK", Says([NOTHING]), raising=False)
    request = asked(tenant=engine.tenant)
    assert sweeper.sweep()[DUTY] == 1
    assert secondlooks.wait(10)
    assert SecondLook.objects.get().request_id == request.pk
    assert sweeper.sweep()[DUTY] == 0


def test_without_a_looker_or_a_model_nobody_is_asked(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(tenant=engine.tenant)
    assert sweeper.sweep()[DUTY] == 0
    silent = Says([NOTHING])
    monkeypatch.setattr(silent, "model", lambda: "")
    monkeypatch.setattr(registry, "SECOND_LOOK", silent, raising=False)
    assert sweeper.sweep()[DUTY] == 0
    assert SecondLookTurn.objects.get().tries == 0


def test_people_decide_while_a_model_hangs_and_the_sweeper_goes_on(
    engine: Bench, hanging: Hanging
) -> None:
    request = asked(tenant=engine.tenant)
    assert "seal audit" in sweeper.sweep()
    until(lambda: len(hanging.shown) == 1)
    assert hanging.in_transaction == [False]
    assert approved_by(request, dee(engine.tenant)).state == "approved"
    hanging.go.set()
    assert secondlooks.wait(10)
    assert SecondLook.objects.get().outcome == "nothing_noticed"
    request.refresh_from_db()
    assert request.state == "approved"


def test_no_more_threads_hang_than_are_allowed(engine: Bench, hanging: Hanging) -> None:
    for _ in range(secondlooks.AT_ONCE + 2):
        asked(tenant=engine.tenant)
    assert sweeper.sweep()[DUTY] == secondlooks.AT_ONCE
    until(lambda: len(hanging.shown) == secondlooks.AT_ONCE)
    assert sweeper.sweep()[DUTY] == 0


def test_a_tenant_is_asked_about_at_its_pace(
    engine: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "SECOND_LOOK", Says([NOTHING]), raising=False)
    settings.KEDGE_SECOND_LOOKS_PER_MINUTE = 2
    for _ in range(3):
        asked(tenant=engine.tenant)
    assert sweeper.sweep()[DUTY] == 2
    assert secondlooks.wait(10)
    assert sweeper.sweep()[DUTY] == 0


def test_a_look_that_breaks_off_is_seen_and_tried_again(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Says([RuntimeError("a bug")])
    monkeypatch.setattr(registry, "SECOND_LOOK", broken, raising=False)
    asked(tenant=engine.tenant)
    sweeper.sweep()
    assert secondlooks.wait(10)
    row = SecondLookTurn.objects.get()
    assert (row.tries, row.error, row.claim) == (1, "It broke off (RuntimeError).", None)
    assert ApprovalRequest.objects.get().state == "open"
