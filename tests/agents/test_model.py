"""The model port against a real chat server in its own process."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from agents import model
from agents.errors import InvalidAnswer, ModelRefused, ModelUnavailable
from tests.agents.chat_server import chat_server

SCHEMA = {
    "type": "object",
    "required": ["subject"],
    "properties": {"subject": {"type": "string", "maxLength": 72}},
    "additionalProperties": False,
}
GOOD = json.dumps({"subject": "Modernise"})
RULES = [
    {"name": "keyed", "when": {"header.authorization": "Bearer s3cret", "messages_contain": "who"},
     "respond": {"content": json.dumps({"subject": "known"})}},
    {"name": "busy", "when": {"messages_contain": "busy"}, "respond": {"status": 429}},
    {"name": "broken", "when": {"messages_contain": "broken"}, "respond": {"status": 503}},
    {"name": "denied", "when": {"messages_contain": "denied"}, "respond": {"status": 401}},
    {"name": "prose", "when": {"messages_contain": "prose"}, "respond": {"content": "Sure! Here"}},
    {"name": "long", "when": {"messages_contain": "long"},
     "respond": {"content": json.dumps({"subject": "x" * 73})}},
    {"name": "nan", "when": {"messages_contain": "nan"}, "respond": {"content": "NaN"}},
    {"name": "tool", "when": {"messages_contain": "tool"},
     "respond": {"content": GOOD, "tool_calls": [{"name": "git.push", "arguments": {}}]}},
    {"name": "good", "respond": {"content": GOOD}},
]  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("chat")
    with chat_server(folder, RULES) as url:
        yield url


@pytest.fixture
def configured(address: str, settings: Settings) -> Settings:
    settings.KEDGE_MODEL_URL = address
    settings.KEDGE_MODEL = "small-1"
    settings.KEDGE_MODEL_KEY = "s3cret"
    return settings


def ask(text: str) -> model.Answer:
    def never() -> str:
        raise AssertionError("the stand-in was asked although a model is configured")

    return model.ask([{"role": "user", "content": text}], schema=SCHEMA, stand_in=never)


def test_a_valid_answer_comes_back_with_its_cost(configured: Settings) -> None:
    answer = ask("write a message")
    assert answer.value == {"subject": "Modernise"}
    assert answer.prompt_tokens > 0
    assert answer.completion_tokens > 0


def test_the_key_is_sent_as_a_bearer(configured: Settings) -> None:
    assert ask("who am I").value == {"subject": "known"}


@pytest.mark.parametrize("text", ["prose", "long", "nan", "tool"])
def test_an_answer_that_does_not_fit_is_invalid_and_still_costs(
    configured: Settings, text: str
) -> None:
    with pytest.raises(InvalidAnswer) as refused:
        ask(text)
    assert refused.value.prompt_tokens > 0


@pytest.mark.parametrize("text", ["busy", "broken"])
def test_a_busy_or_broken_server_is_unavailable(configured: Settings, text: str) -> None:
    with pytest.raises(ModelUnavailable):
        ask(text)


def test_a_denied_request_is_not_tried_again_later(configured: Settings) -> None:
    with pytest.raises(ModelRefused) as refused:
        ask("denied")
    assert "s3cret" not in str(refused.value)


def test_a_server_that_is_gone_is_unavailable(configured: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        configured.KEDGE_MODEL_URL = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelUnavailable):
            ask("anything")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n", ModelRefused),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<html/>", InvalidAnswer),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}", ModelUnavailable),
        (b"", ModelUnavailable),
    ],
)
def test_one_question_is_one_request(
    configured: Settings, answer: bytes, error: type[Exception]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        configured.KEDGE_MODEL_URL = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        requests: list[bytes] = []
        thread = threading.Thread(target=_answer_all, args=(server, answer, requests))
        thread.start()
        with pytest.raises(error):
            ask("anything")
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert len(requests) == 1


def _answer_all(server: socket.socket, answer: bytes, requests: list[bytes]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            requests.append(_whole_request(connection))
            connection.sendall(answer)


def test_an_answer_that_drips_in_is_cut_off(
    configured: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "ANSWER_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        configured.KEDGE_MODEL_URL = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        thread = threading.Thread(target=_drip, args=(server,))
        thread.start()
        with pytest.raises(ModelUnavailable):
            ask("anything")
        thread.join()


def _drip(server: socket.socket) -> None:
    """One byte every 50 ms: never slow enough for a time-out of the socket."""
    connection, _ = server.accept()
    with connection, contextlib.suppress(OSError):
        _whole_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n")
        for _ in range(200):
            connection.sendall(b" ")
            time.sleep(0.05)


def _whole_request(connection: socket.socket) -> bytes:
    """Reads to the end: closing with unread bytes would reset the connection instead."""
    with connection.makefile("rb") as stream:
        head = b"".join(iter(stream.readline, b"\r\n"))
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        return head + stream.read(length)


def test_with_no_address_the_stand_in_answers_and_the_version_says_so(
    settings: Settings,
) -> None:
    settings.KEDGE_MODEL_URL = ""
    answer = model.ask([], schema=SCHEMA, stand_in=lambda: {"subject": "plain"})
    assert answer == model.Answer({"subject": "plain"})
    assert model.version() == "stand-in"


def test_the_stand_in_must_fit_too(settings: Settings) -> None:
    settings.KEDGE_MODEL_URL = ""
    with pytest.raises(InvalidAnswer):
        model.ask([], schema=SCHEMA, stand_in=lambda: {"subject": 1})


def test_the_version_names_model_and_host_but_no_password(settings: Settings) -> None:
    settings.KEDGE_MODEL_URL = "https://user:pw@models.example:8443/v1"
    settings.KEDGE_MODEL = "small-1"
    assert model.version() == "small-1 at models.example:8443"
