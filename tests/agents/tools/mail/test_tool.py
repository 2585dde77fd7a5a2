"""The mail tool shows the very bytes it sends, and never claims to know more than the answer."""

import pytest

from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from canonical.json import loads
from reconciliation.tools import CredentialInvalid, Refused, Unanswered
from tests.agents.tools.mail.scripted import CONTENT, ScriptedServer, scripted
from tests.contract.worlds import TENANT, make_call

PARAMETERS = {
    "to": "ann@example.org",
    "from": "kedge@example.org",
    "subject": "Anchor",
    "body": "It is down.\n.\n",
}


def tool_for(server: ScriptedServer, username: str = "") -> SendMail:
    return SendMail(MailServer("127.0.0.1", server.port, username, "hush"))


def test_what_is_shown_is_what_leaves() -> None:
    call = make_call(dict(PARAMETERS))
    with scripted() as server:
        shown = tool_for(server).dry_run(call)
        assert server.heard == []
        tool_for(server).perform(call)
    assert server.heard[4].replace(b"\r\n..", b"\r\n.").removesuffix(b".\r\n") == shown.diff


def test_the_receipt_keeps_the_servers_words() -> None:
    call = make_call(dict(PARAMETERS))
    with scripted({CONTENT: b"250-kept\r\n250 as \x00\xff7\r\n"}) as server:
        receipt = tool_for(server).perform(call).receipt
    assert loads(receipt) == {
        "message_id": f"<{call.action_id}@kedge.invalid>",
        "key": call.key,
        "answer": {"code": 250, "text": "kept as  \ufffd7"},
    }


def test_a_long_answer_is_cut_and_says_so() -> None:
    with scripted({CONTENT: b"250 " + b"x" * 7000 + b"\r\n"}) as server:
        tool = tool_for(server)
        receipt = tool.perform(make_call(dict(PARAMETERS))).receipt
    assert len(receipt) <= tool.largest_receipt_bytes
    assert b"(6500 more characters)" in receipt


def test_a_wrong_password_is_an_invalid_credential() -> None:
    with scripted({"AUTH": b"535 wrong\r\n"}) as server, pytest.raises(CredentialInvalid):
        tool_for(server, "kedge").check_credential(TENANT)


def test_a_server_that_is_gone_says_nothing_about_the_credential() -> None:
    with scripted() as server:
        tool_for(server, "kedge").check_credential(TENANT)
    with pytest.raises(Unanswered):
        tool_for(server, "kedge").check_credential(TENANT)
    with pytest.raises(Refused):
        tool_for(server).perform(make_call(dict(PARAMETERS)))
