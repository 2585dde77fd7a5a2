"""One request to the store: boto3 signs it and reads the answer, our own sender sends it, once.

So it is one request whatever boto3 would do about redirects, regions and retries, it goes to the
address that was judged, ends at the deadline, and its bytes are known.
"""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import boto3.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from agents.tools.deadline import Deadline
from agents.tools.objects.declared import Declared
from agents.tools.wire import sending
from agents.tools.wire.errors import NoAnswer, NotSent
from agents.tools.wire.reach import Reach
from agents.tools.wire.sending import Request

CONFIG = Config(
    s3={"addressing_style": "path", "payload_signing_enabled": True},
    retries={"total_max_attempts": 1, "mode": "standard"},
    # What is asked for with every request would come as headers that other stores do not know.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
    parameter_validation=True,
)
# Of boto3's headers these say nothing about the object; and nobody waits here for a "continue".
LEFT_OUT = {"expect", "content-length", "host", "amz-sdk-invocation-id", "amz-sdk-request"}
_session = boto3.session.Session()
_making = threading.Lock()  # a session is not made for threads, its clients are


@dataclass
class Store:
    """The declared store, as one tenant reaches it until a deadline; good for one request."""

    declared: Declared
    reach: Reach
    tenant: str
    deadline: Deadline
    left: bytes = b""
    _asked: list[str] = field(default_factory=list)

    def put(self, name: str, content: bytes, **more: Any) -> None:
        """Store an object. Raises `ClientError`, `NotSent`, `NoAnswer`, `CredentialInvalid`."""
        once = {"IfNoneMatch": "*"} if self.declared.honours_if_none_match else {}
        bucket = self.declared.bucket
        with self._client() as client:
            client.put_object(Bucket=bucket, Key=name, Body=content, **once, **more)

    def head(self, name: str) -> dict[str, Any]:
        """What the store says about an object. Raises as `put`."""
        with self._client() as client:
            found: dict[str, Any] = client.head_object(Bucket=self.declared.bucket, Key=name)
            return found

    def head_bucket(self) -> None:
        """Whether the store takes the credential. Raises as `put`."""
        with self._client() as client:
            client.head_bucket(Bucket=self.declared.bucket)

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Send what boto3 made, once."""
        if self._asked:
            raise NoAnswer("the store sent us elsewhere, and nobody goes there")
        self._asked.append(request.url)
        server = self.reach.server(self._endpoint())
        target = request.url.split(server.authority, 1)[1]
        asked = Request(request.method, target, tuple(_headers(request)), _content(request))
        exchange = sending.exchange(server, asked, self.reach, self.deadline)
        self.left = exchange.left
        answer = exchange.answer
        return AWSResponse(request.url, answer.status, dict(answer.headers), _Raw(answer.body))

    @contextmanager
    def _client(self) -> Iterator[Any]:
        declared, tenant = self.declared, self.tenant
        client = _client_for(
            self._endpoint(),
            declared.region,
            self.reach.secret(declared.key_id, tenant),
            self.reach.secret(declared.secret, tenant),
        )
        token = _current.set(self)
        try:
            yield client
        finally:
            _current.reset(token)

    def _endpoint(self) -> str:
        endpoint = self.reach.value(self.declared.endpoint, self.tenant)
        if not endpoint:
            raise NotSent(f"the environment has no {self.declared.endpoint}")
        return endpoint


# The store that the request of this thread is for: clients are shared, because making one takes
# longer than asking.
_current: ContextVar[Store] = ContextVar("store")


def _sent(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
    return _current.get().send(request)


@lru_cache(maxsize=64)
def _client_for(endpoint: str, region: str, key_id: str, secret: str) -> Any:
    with _making:
        client = _session.client(
            "s3",
            region_name=region,
            endpoint_url=endpoint,
            aws_access_key_id=key_id,
            aws_secret_access_key=secret,
            config=CONFIG,
        )
    client.meta.events.register("before-send.s3", _sent)
    return client


def status_of(error: ClientError) -> int:
    """The status the store answered with."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def code_of(error: ClientError) -> str:
    """What the store calls it; "" for an answer without a body."""
    return str(error.response.get("Error", {}).get("Code", ""))


# What can keep a question from being answered.
NO_ANSWER = (ClientError, BotoCoreError, NotSent, NoAnswer, TimeoutError)


class _Raw(io.BytesIO):
    """A body as botocore reads one."""

    def stream(self, size: int = 65536, **_: Any) -> Iterator[bytes]:
        """All of it, in pieces."""
        while piece := self.read(size):
            yield piece


def _headers(request: AWSPreparedRequest) -> Iterator[tuple[str, str]]:
    for name, value in request.headers.items():
        if name.lower() not in LEFT_OUT:
            yield name, value.decode("ascii") if isinstance(value, bytes) else str(value)


def _content(request: AWSPreparedRequest) -> bytes:
    body = request.body
    if body is None or isinstance(body, bytes):
        return body or b""
    body.seek(0)
    return bytes(body.read())
