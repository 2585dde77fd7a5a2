"""What a service says about when to come back, and until when its credential is good."""

from datetime import UTC, datetime

import pytest

from agents.tools.errors import BadDeclaration
from agents.tools.http import answers, talking
from agents.tools.http.tool import HttpTool
from agents.tools.wire.reach import Reach
from agents.tools.wire.sending import Answer
from tests.servers.provider import DECLARATION


def heard(**headers: str) -> float | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answers.retry_after(Answer(503, named, b""))


def test_seconds_and_dates_are_understood() -> None:
    assert heard(retry_after="7") == 7.0
    theirs = "Sun, 29 Nov 2026 02:40:00 GMT"
    assert heard(date=theirs, retry_after="Sun, 29 Nov 2026 02:41:30 GMT") == 90.0
    assert heard(date=theirs, retry_after="Sun, 29 Nov 2026 02:39:00 GMT") == 0.0


@pytest.mark.parametrize("said", ["", "soon", "-5", "1e9", "²"])
def test_what_is_neither_is_as_if_nothing_was_said(said: str) -> None:
    assert heard(retry_after=said) is None


def test_patience_is_what_the_declaration_says_or_everybodys() -> None:
    reach = Reach({})
    assert HttpTool.declared(DECLARATION, reach).patience_seconds is None
    limits = {**DECLARATION["limits"], "patience_seconds": 90}
    assert HttpTool.declared({**DECLARATION, "limits": limits}, reach).patience_seconds == 90
    with pytest.raises(BadDeclaration):
        HttpTool.declared({**DECLARATION, "limits": {"patience_seconds": 0}}, reach)


def test_a_credential_says_until_when_it_is_good() -> None:
    tool = HttpTool.declared(DECLARATION, Reach({"KEDGE_TEST_PROVIDER_EXPIRES": "2026-12-24"}))
    assert tool.credential_expires_at("acme") == datetime(2026, 12, 24, tzinfo=UTC)
    assert HttpTool.declared(DECLARATION, Reach({})).credential_expires_at("acme") is None
    assert talking.moment("at Christmas") is None
