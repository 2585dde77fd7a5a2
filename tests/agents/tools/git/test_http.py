"""Over HTTP a push is one request that carries it: no retry, no redirect, no connection re-used."""

from collections.abc import Iterator

import pytest

from agents.tools.git.errors import NotConfirmed
from agents.tools.git.tool import GitPush
from reconciliation.tools import CredentialInvalid, Found, Unanswered, Voided
from tests.agents.tools.git.conftest import MakeCall
from tests.agents.tools.git.http_remote import HttpRemote, http_remote
from tests.agents.tools.git.remote import Remote

SENT = "POST /ship.git/git-receive-pack"


@pytest.fixture
def server(remote: Remote) -> Iterator[HttpRemote]:
    with http_remote(remote.folder.parent) as server:
        yield server


@pytest.fixture
def tool(server: HttpRemote) -> GitPush:
    return GitPush(lambda *_: f"{server.url}/ship.git")


def test_a_push_is_one_post_and_is_found(
    tool: GitPush, remote: Remote, server: HttpRemote, propose: MakeCall
) -> None:
    call = propose()
    assert tool.dry_run(call).diff
    assert tool.capabilities_for(call.tenant, call.parameters).void
    del server.asked[:]
    server.connections.clear()
    sent = tool.perform(call)
    assert server.asked == ["GET /ship.git/info/refs?service=git-receive-pack", SENT]
    assert len(server.connections) == 2
    assert remote.head() == call.parameters["commit"]
    assert tool.look_up(call) == Found(sent.receipt)


def test_void_wins_over_http_too(tool: GitPush, remote: Remote, propose: MakeCall) -> None:
    call = propose()
    assert isinstance(tool.void(call), Voided)
    with pytest.raises(NotConfirmed):
        tool.perform(call)
    assert remote.head() == call.parameters["expected"]


def test_a_redirect_is_not_followed(tool: GitPush, server: HttpRemote, propose: MakeCall) -> None:
    call = propose()
    server.answer = (307, {"Location": f"{server.url}/other.git/info/refs"})
    with pytest.raises(NotConfirmed):
        tool.perform(call)
    assert server.asked == ["GET /ship.git/info/refs?service=git-receive-pack"]


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_server_in_trouble_is_asked_once_and_is_unknown(
    tool: GitPush, server: HttpRemote, propose: MakeCall, status: int
) -> None:
    call = propose()
    server.answer = (status, {"Retry-After": "0"})
    with pytest.raises(NotConfirmed):
        tool.perform(call)
    assert len(server.asked) == 1
    with pytest.raises(Unanswered):
        tool.look_up(call)


def test_a_login_is_never_asked_of_a_person(
    tool: GitPush, server: HttpRemote, propose: MakeCall
) -> None:
    call = propose()
    server.answer = (401, {"WWW-Authenticate": 'Basic realm="ship"'})
    with pytest.raises(CredentialInvalid):
        tool.dry_run(call)
    with pytest.raises(NotConfirmed):
        tool.perform(call)
