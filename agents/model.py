"""The one port to a chat model: a question and a JSON Schema go out, a valid answer comes back.

Speaks `POST {KEDGE_MODEL_URL}/chat/completions`, the OpenAI-compatible chat protocol: one request
per question, no retries and no redirects (the node's own retry decides, and every request costs).
The model is never offered a tool; an answer that calls one is invalid.

Who asks for a run names its combo: that says which of the host's models answers, and in what time.
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
from checkpoints import traces
from checkpoints.versions import AT, Versions

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


def version(name: str = "") -> str:
    """Which model answers, for the combo: `<model> at <host>`, or `stand-in`.

    `name` is another model of the same host than the one this process is set up for.
    """
    url = _url()
    if not url:
        return f"{name}{AT}{STAND_IN}" if name else STAND_IN
    return f"{name or _setting('KEDGE_MODEL')}{AT}{url.netloc.rpartition('@')[2]}"


def ask(
    messages: Sequence[Message],
    *,
    schema: Mapping[str, Json],
    stand_in: Callable[[], Json],
    combo: Versions | None = None,
) -> Answer:
    """Ask once. Raises `InvalidAnswer` and `ModelUnavailable` (transient) or `ModelRefused`.

    `combo` is that of the run; without one the model answers that this process is set up for.
    """
    url, asked = _url(), _Asked.by(combo)
    with traces.port.model(asked.model if url else STAND_IN, url) as span:
        said = (
            _said(_post(url, _question(messages, schema, asked.model), asked.seconds))
            if url
            else Answer(json.dumps(stand_in()))
        )
        span.say("gen_ai.usage.input_tokens", said.prompt_tokens)
        span.say("gen_ai.usage.output_tokens", said.completion_tokens)
        try:
            return replace(said, value=_fitting(said.value, schema))
        except ValueError as unfit:
            raise InvalidAnswer(
                str(unfit),
                prompt_tokens=said.prompt_tokens,
                completion_tokens=said.completion_tokens,
            ) from unfit


@dataclass(frozen=True)
class _Asked:
    """Which model is asked, and how many seconds it may take."""

    model: str
    seconds: int

    @classmethod
    def by(cls, combo: Versions | None) -> "_Asked":
        own = _setting("KEDGE_MODEL")
        if combo is None:
            return cls(own, ANSWER_SECONDS)
        here = version().rpartition(AT)[2]
        if combo.model_host != here:
            # Its workers are others: this is the last line, not the one that keeps them apart.
            raise ModelRefused(f"The combo asks {combo.model}, and this process asks {here}")
        seconds = int(combo.settings.get("model_answer_seconds", ANSWER_SECONDS))
        return cls(combo.model_name or own, seconds)


def _setting(name: str) -> str:
    return str(getattr(settings, name, "") or "")


def _url() -> SplitResult | None:
    configured = _setting("KEDGE_MODEL_URL")
    return urlsplit(configured.rstrip("/") + "/chat/completions") if configured else None


def _question(messages: Sequence[Message], schema: Mapping[str, Json], model: str) -> bytes:
    wanted = {"name": "answer", "schema": schema}
    question = {
        "model": model,
        "messages": list(messages),
        "response_format": {"type": "json_schema", "json_schema": wanted},
    }
    return json.dumps(question).encode()


def _post(url: SplitResult, question: bytes, seconds: int) -> bytes:
    connection = _connection(url)
    try:
        connection.connect()
        with _cut_off(connection.sock, seconds):
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
def _cut_off(sock: socket.socket, seconds: int) -> Iterator[None]:
    """However slowly an answer drips in, it ends: a time-out of the socket counts each drop."""
    sock.settimeout(seconds)
    timer = threading.Timer(seconds, _shut, [sock])
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
