"""What does not come is waited for, and then named with the next step."""

import pytest
from django.db import OperationalError, connection
from pytest_django.fixtures import Settings

from config import readiness
from config.errors import GroundError


@pytest.mark.django_db
def test_servers_that_answer_are_not_waited_for() -> None:
    said: list[str] = []
    readiness.wait_for_database(said.append)
    readiness.wait_for_redis(said.append)
    assert said == []


def test_a_redis_that_is_gone_is_a_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "unix:///nowhere/valkey.sock"
    monkeypatch.setattr(readiness, "PATIENCE_SECONDS", 0.3)
    with pytest.raises(GroundError, match=r"Redis does not answer: .*correct REDIS_URL"):
        readiness.wait_for_redis(print)


def test_what_is_asked_in_vain_is_asked_again_and_said() -> None:
    answers = iter([OperationalError("starting up"), OperationalError("starting up"), None])
    said: list[str] = []

    def ask() -> None:
        answer = next(answers)
        if answer:
            raise answer

    readiness.repeat(ask, OperationalError, "Not yet", said.append, tell_every=0)
    assert said == ["Not yet", "Not yet"]
    assert next(answers, "asked once too often") == "asked once too often"
    connection.close()
