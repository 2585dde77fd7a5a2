"""What a declared tool makes of a service's answers, and of what left."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.tools.errors import BadProposal, NotConfirmed
from agents.tools.http import building
from agents.tools.http.loading import load
from agents.tools.http.tool import HttpTool
from agents.tools.wire.errors import NotSent
from agents.tools.wire.reach import Reach
from canonical.digests import sha256_hex
from canonical.json import dumps, loads
from reconciliation.tools import (
    Absent,
    Call,
    CredentialInvalid,
    Found,
    Refused,
    Unanswered,
    Voided,
)
from tests.agents.tools.http.test_loading import document
from tests.agents.tools.wire.scripted import Script, answer, scripted
from tests.contract.worlds import make_call

Change = Callable[[dict[str, Any]], None]


def tool_at(
    server: Script, change: Change = lambda _: None, name: str = "kinto_refund"
) -> HttpTool:
    given = document(name)
    change(given)
    url = f"http://127.0.0.1:{server.port}/v1"
    names = {"KEDGE_TEST_KINTO": url, "KEDGE_TEST_RESTATE": url, "KEDGE_TEST_KINTO_LOGIN": "a:b"}
    return HttpTool(load(given), Reach(names, frozenset({"127.0.0.1"})))


def call() -> Call:
    return make_call({"order": "A-1", "amount": 5})


def record(asked: Call, **more: Any) -> dict[str, Any]:
    made = {"id": asked.action_id, "action": asked.action_id, "attempt": "t", "last_modified": 1}
    return made | {"kind": "refund"} | more


def said(*records: Any, at: int = 200) -> bytes:
    return answer(at, dumps({"data": records[0] if len(records) == 1 else list(records)}))


@pytest.mark.parametrize("status", [100 + 404, 301, 404, 408, 409, 412, 429, 500, 503])
def test_what_is_not_declared_is_unknown(status: int) -> None:
    with scripted(answer(status)) as server, pytest.raises(NotConfirmed):
        tool_at(server).perform(call())


@pytest.mark.parametrize("status", [202, 409, 500])
def test_a_whole_record_with_another_status_is_unknown(status: int) -> None:
    asked = call()
    with scripted(said(record(asked), at=status)) as server, pytest.raises(NotConfirmed):
        tool_at(server).perform(asked)


def test_done_without_what_should_be_kept_is_unknown() -> None:
    asked = call()
    odd = (b"{}", b"<html>", b"[1]", dumps({"data": record(asked, attempt=3)}), b"NaN")
    for body in odd:
        with scripted(answer(201, body)) as server, pytest.raises(NotConfirmed):
            tool_at(server).perform(asked)


def test_a_no_is_said_in_the_words_of_the_service() -> None:
    with (
        scripted(answer(400, b'{"message":"closed\\nfor today"}')) as server,
        pytest.raises(Refused, match="the service said no: 400 closed for today"),
    ):
        tool_at(server).perform(call())


def test_an_answer_can_mean_two_things_by_what_stands_in_it() -> None:
    def change(given: dict[str, Any]) -> None:
        rule = {"status": [422], "where": {"/code": "late"}, "means": "unknown"}
        given["effect"]["answers"] = [rule, {"status": [422], "means": "refused"}]

    with scripted(answer(422, b'{"code":"late"}'), answer(422, b'{"code":"no"}')) as server:
        tool = tool_at(server, change)
        with pytest.raises(NotConfirmed):
            tool.perform(call())
        with pytest.raises(Refused):
            tool.perform(call())


def test_nobody_there_is_unknown_to_who_can_ask_later_and_a_no_to_who_cannot() -> None:
    with scripted(answer(200)) as server:
        pass
    with pytest.raises(NotSent):
        tool_at(server).perform(call())

    def change(given: dict[str, Any]) -> None:
        del given["idempotency_key"]

    with pytest.raises(Refused, match="nothing was sent"):
        tool_at(server, change, "restate_refund").perform(call())


def test_a_missing_credential_is_said_before_anything_is_sent() -> None:
    with scripted(answer(200)) as server:
        given = document()
        reach = Reach(
            {"KEDGE_TEST_KINTO": f"http://127.0.0.1:{server.port}"}, frozenset({"127.0.0.1"})
        )
        tool = HttpTool(load(given), reach)
        with pytest.raises(CredentialInvalid):
            tool.check_credential("acme")
        with pytest.raises(Refused, match="nothing was sent"):
            tool.perform(call())
        assert not server.asked


def test_a_login_that_does_not_work_is_found_before_the_effect() -> None:
    with scripted(answer(401)) as server:
        tool = tool_at(server)
        for ask in (lambda: tool.check_credential("acme"), lambda: tool.dry_run(call())):
            with pytest.raises(CredentialInvalid):
                ask()


def test_a_look_up_that_gives_others_too_is_no_answer() -> None:
    asked = call()
    with (
        scripted(said(record(asked), record(call()))) as server,
        pytest.raises(Unanswered, match="other actions"),
    ):
        tool_at(server).look_up(asked)


def test_two_effects_of_one_action_are_counted() -> None:
    asked = call()
    with scripted(said(record(asked), record(asked, attempt="u"))) as server:
        found = tool_at(server).look_up(asked)
    assert isinstance(found, Found)
    assert found.count == 2


@pytest.mark.parametrize("status", [301, 401, 403, 429, 500])
def test_a_look_up_without_an_answer_is_asked_again(status: int) -> None:
    with scripted(answer(status)) as server, pytest.raises(Unanswered):
        tool_at(server).look_up(call())


def test_nothing_is_voided_where_the_effect_is() -> None:
    asked = call()
    with scripted(said(record(asked))) as server:
        assert isinstance(tool_at(server).void(asked), Found)
        assert all(line.startswith("GET ") for line, _, _ in server.asked)


def test_a_place_that_was_not_taken_is_no_void() -> None:
    with scripted(answer(404), answer(500), answer(404)) as server, pytest.raises(Unanswered):
        tool_at(server).void(call())


def test_who_comes_second_learns_who_was_first() -> None:
    asked = call()
    effect, tombstone = said(record(asked)), said(record(asked, kind="void"))
    with scripted(answer(404), answer(412), effect) as server:
        assert isinstance(tool_at(server).void(asked), Found)
    with scripted(answer(404), answer(412), tombstone) as server:
        assert isinstance(tool_at(server).void(asked), Voided)
    with scripted(tombstone) as server:
        seen = tool_at(server).look_up(asked)
    assert isinstance(seen, Absent)
    assert seen.voided


def test_a_dry_run_shows_the_object_the_request_and_the_version() -> None:
    with scripted(answer(200, dumps({"data": {"order": "B"}}), 'ETag: "7"')) as server:
        shown = tool_at(server).dry_run(call())
    assert list(shown.resources.values()) == ['"7"']
    diff: Any = loads(shown.diff)
    assert diff["before"] == {"object": {"order": "B"}}
    assert diff["after"]["object"]["order"] == "A-1"
    assert diff["after"]["request"]["headers"]["If-None-Match"] == "*"
    assert "Authorization" not in shown.diff.decode()


def test_an_effect_for_another_version_is_never_sent() -> None:
    def change(given: dict[str, Any]) -> None:
        given["parameters"]["properties"]["version"] = {"type": "string"}
        given["parameters"]["required"].append("version")
        given["precondition"] = {"parameter": "version"}

    given = {"order": "A-1", "amount": 5, "version": '"6"'}
    with (
        scripted(answer(200, b'{"data":{}}', 'ETag: "7"')) as server,
        pytest.raises(BadProposal, match="another"),
    ):
        tool_at(server, change).dry_run(make_call(given))
    with scripted(answer(412)) as server, pytest.raises(NotConfirmed):
        tool_at(server, change).perform(make_call(given))
    assert server.asked[0][1]["If-Match"] == '"6"'


def test_other_bytes_than_approved_have_another_digest() -> None:
    asked = call()
    with scripted(said(record(asked), at=201)) as server:
        tool = tool_at(server)
        assert tool.perform(asked).wire_digest == sha256_hex(asked.parameter_bytes)
    shape = tool._declared.effect.shape
    line, headers, body = server.asked[0]
    names = {*shape.headers, "Authorization"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if name in names)
    left = f"{line}\r\n{head}\r\n".encode() + body

    def digest(content: bytes) -> str:
        return building.wire_digest(tool._declared, content, asked, "/v1", "authorization")

    assert digest(left) == sha256_hex(asked.parameter_bytes)
    for old, new in (
        (b'"amount":5', b'"amount":50'),
        (b'"amount":5', b'"amount":5,"more":1'),
        (b"If-None-Match: *\r\n", b""),
        (b"\r\n\r\n", b"\r\nX-More: 1\r\n\r\n"),
        (b"PUT", b"POST"),
        (b"refunds", b"payouts"),
        (asked.attempt_id.encode(), b"another"),
        (b'"kind":"refund"', b'"kind":"payout"'),
    ):
        changed = left.replace(old, new, 1)
        assert changed != left
        assert digest(changed) != sha256_hex(asked.parameter_bytes)
    for_another = left.replace(asked.action_id.encode(), b"another")
    assert digest(for_another) != sha256_hex(asked.parameter_bytes)
