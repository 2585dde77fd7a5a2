"""The one port to a chat model: a question and a JSON Schema go out, a valid answer comes back.

Speaks `POST {KEDGE_MODEL_URL}/chat/completions`, the OpenAI-compatible chat protocol: one request
per question, no retries and no redirects (the node's own retry decides, and every request costs).
The model is never offered a tool; an answer that calls one is invalid.

With no `KEDGE_MODEL_URL` the deterministic stand-in that the caller brings answers instead, under
the same schema, and `version()` says so. Its cost is 0.
"""

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, urlsplit

import jsonschema
from django.conf import settings

from agents.errors import InvalidAnswer, ModelRefused, ModelUnavailable
from canonical import json as canonical

Json = Any
Message = Mapping[str, str]  # {"role": "system" | "user", "content": text}

CONNECT_SECONDS = 10  # for each address of the host
ANSWER_SECONDS = 40  # for the whole exchange after that
LARGEST_ANSWER_BYTES = 1_000_000
OK = 200
COME_BACK_LATER = {408, 425, 429, *range(500, 600)}
STAND_IN = "stand-in"


@dataclass(frozen=True)
class Answer:
    """A valid answer and what it cost, in tokens."""

    value: Json
    prompt_tokens: int = 0
    completion_tokens: int = 0


def version() -> str:
    """Which model answers, for the combo: `<model> at <host>`, or `stand-in`."""
    url = _url()
    return f"{_setting('KEDGE_MODEL')} at {url.netloc.rpartition('@')[2]}" if url else STAND_IN


def ask(
    messages: Sequence[Message], *, schema: Mapping[str, Json], stand_in: Callable[[], Json]
) -> Answer:
    """Ask once. Raises `InvalidAnswer` and `ModelUnavailable` (transient) or `ModelRefused`."""
    url = _url()
    said = _said(_post(url, _question(messages, schema))) if url else Answer(json.dumps(stand_in()))
    try:
        return replace(said, value=_fitting(said.value, schema))
    except ValueError as unfit:
        raise InvalidAnswer(
            str(unfit),
            prompt_tokens=said.prompt_tokens,
            completion_tokens=said.completion_tokens,
        ) from unfit


def _setting(name: str) -> str:
    return str(getattr(settings, name, "") or "")


def _url() -> SplitResult | None:
    configured = _setting("KEDGE_MODEL_URL")
    return urlsplit(configured.rstrip("/") + "/chat/completions") if configured else None


def _question(messages: Sequence[Message], schema: Mapping[str, Json]) -> bytes:
    wanted = {"name": "answer", "schema": schema}
    question = {
        "model": _setting("KEDGE_MODEL"),
        "messages": list(messages),
        "response_format": {"type": "json_schema", "json_schema": wanted},
    }
    return json.dumps(question).encode()


def _post(url: SplitResult, question: bytes) -> bytes:
    connection = _connection(url)
    try:
        connection.connect()
        with _cut_off(connection.sock):
            response, body = _exchange(connection, url, question)
    except (OSError, http.client.HTTPException) as failed:
        raise ModelUnavailable(f"The model at {url.hostname} did not answer: {failed}") from failed
    finally:
        connection.close()
    _check_status(url, response.status)
    if len(body) > LARGEST_ANSWER_BYTES:
        raise InvalidAnswer(f"The model's answer is longer than {LARGEST_ANSWER_BYTES} bytes")
    return body


def _connection(url: SplitResult) -> http.client.HTTPConnection:
    if not url.hostname or url.scheme not in ("http", "https"):
        raise ModelRefused("KEDGE_MODEL_URL must be an http:// or https:// address")
    secure = url.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    return kind(url.hostname, url.port, timeout=CONNECT_SECONDS)


@contextmanager
def _cut_off(sock: socket.socket) -> Iterator[None]:
    """However slowly an answer drips in, it ends: a time-out of the socket counts each drop."""
    sock.settimeout(ANSWER_SECONDS)
    timer = threading.Timer(ANSWER_SECONDS, _shut, [sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):  # it ended by itself in the same moment
        sock.shutdown(socket.SHUT_RDWR)


def _exchange(
    connection: http.client.HTTPConnection, url: SplitResult, question: bytes
) -> tuple[http.client.HTTPResponse, bytes]:
    target = url.path + (f"?{url.query}" if url.query else "")
    connection.request("POST", target, question, _headers())
    response = connection.getresponse()
    body = response.read(LARGEST_ANSWER_BYTES + 1)
    if response.length and len(body) <= LARGEST_ANSWER_BYTES:
        raise http.client.IncompleteRead(body, response.length)
    return response, body


def _headers() -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Connection": "close"}
    key = _setting("KEDGE_MODEL_KEY")
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def _check_status(url: SplitResult, status: int) -> None:
    if status in COME_BACK_LATER:
        raise ModelUnavailable(f"The model at {url.hostname} answered {status}")
    if status != OK:
        raise ModelRefused(f"The model at {url.hostname} refused the request with {status}")


def _said(body: bytes) -> Answer:
    """What the server says the model said, as text still, and the cost."""
    try:
        answered = json.loads(body)
        message = answered["choices"][0]["message"]
        usage = answered.get("usage") or {}
        cost = [int(usage.get(f"{side}_tokens") or 0) for side in ("prompt", "completion")]
        content = "" if message.get("tool_calls") else str(message["content"])
    except (ValueError, LookupError, TypeError, AttributeError) as failed:
        raise InvalidAnswer("The model's server did not speak the chat protocol") from failed
    return Answer(content, *cost)


def _fitting(text: str, schema: Mapping[str, Json]) -> Json:
    """Raises `ValueError` that names the place but quotes nothing."""
    try:
        value = canonical.loads(text)
    except canonical.CanonicalError as failed:
        raise ValueError("The model's answer is not JSON, or it is a call of a tool") from failed
    problem = next(jsonschema.Draft202012Validator(schema).iter_errors(value), None)
    if problem is not None:
        raise ValueError(f"The model's answer does not fit at {problem.json_path}")
    return value
