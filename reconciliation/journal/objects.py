"""The journal in an object store (S3): one object per line, created only where none is yet.

Lines of one number exclude each other, so that two installations that write to one journal meet at
the first line: whoever comes second reads what is there, and does not know it.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

import boto3.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from reconciliation.errors import JournalError
from reconciliation.journal import chain
from reconciliation.journal.port import Claim, Knows, Line, Mark

CONFIG: Final = Config(
    s3={"addressing_style": "path"},
    connect_timeout=3,
    read_timeout=5,
    # A lost answer is found out by reading what is there, never by sending it blindly again.
    retries={"total_max_attempts": 1, "mode": "standard"},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
TAKEN: Final = (409, 412)
NOT_THERE: Final = 404
PATIENCE_SECONDS: Final = 5.0
MOST_LOOKED_BACK: Final = 5_000


class NoClaim:
    """Nothing to let go: in a store, lines of one number exclude each other instead."""

    def release(self) -> None:
        """Nothing."""


@dataclass
class ObjectRoom:
    """A bucket and a prefix. Address and credentials of the store stand in AWS_* variables."""

    bucket: str
    prefix: str
    _newest: Mark = field(default_factory=Mark)
    _last: Line | None = None
    _known: int = 0  # up to which number this process wrote lines, or asked about the newest

    @classmethod
    def of(cls, url: str) -> "ObjectRoom":
        """From s3://bucket/prefix."""
        parts = urlsplit(url)
        return cls(parts.netloc, parts.path.strip("/"))

    @property
    def name(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    def place(self, *, make: bool) -> str:
        """The nonce in an object that is created once."""
        with self._as_sentence():
            known = self._get(self._key("place"))
            if known is None and make:
                self._put(self._key("place"), str(uuid4()).encode())
                known = self._get(self._key("place"))
            return "" if known is None else f"s3:{known.decode().strip()}"

    def add(self, fields: Mapping[str, Any], *, knows: Knows | None = None) -> Line:
        """See the port. A number that is taken is another worker's: the next one is tried.

        Only the newest line is asked about: whoever wrote it had asked about the one before.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        with self._as_sentence():
            while True:
                after = self._end()
                if knows is not None and after.seq > self._known:
                    self._refuse_unless_known(after, knows)
                content = chain.encoded(fields, after)
                told = chain.decoded(content) or {}
                mine = chain.line(content, told, number=after.seq + 1, at="")
                if self._put(self._line(mine.seq), content) or self._is_there(mine):
                    self._newest, self._known = Mark(mine.seq, mine.digest), mine.seq
                    return mine
                if time.monotonic() > until:
                    raise JournalError(
                        f"others took each next line of the journal {self.name} for "
                        f"{PATIENCE_SECONDS:g} s; the run goes on by itself"
                    )

    def know(self, compared: Mark) -> None:
        """See the port: a store lists names from their beginning."""
        if compared.seq > self._newest.seq:
            self._newest = compared

    def newest(self) -> Line | None:
        """See the port."""
        with self._as_sentence():
            end = self._end().seq
            return self._read(self._line(end)) if end else None

    def read(self, since: Mark) -> Iterator[Line]:
        """See the port."""
        with self._as_sentence():
            for key in self._keys(max(since.seq - 1, 0)):
                each = self._read(key)
                if each is not None:
                    yield each

    def find(self, attempts: set[str]) -> set[str]:
        """See the port. The newest lines only: each is one request."""
        found: set[str] = set()
        with self._as_sentence():
            end = self._end().seq
            for seq in range(end, max(end - MOST_LOOKED_BACK, 0), -1):
                each = self._read(self._line(seq))
                if each is None:
                    break
                found |= {each.fields["attempt"]} & attempts
                if found == attempts:
                    break
        return found

    def claim(self, of: str) -> Claim:  # noqa: ARG002 - the port's shape
        """See the class `NoClaim`."""
        return NoClaim()

    def forget(self, *, before: Mark, older_than: float) -> int:
        """Delete objects one by one, from the oldest on, up to the first that is to be kept."""
        gone = 0
        with self._as_sentence():
            for key in self._keys(0):
                each = self._read(key)
                if each is None or each.seq >= before.seq or each.fields["at"] >= older_than:
                    break
                _client(os.getpid()).delete_object(Bucket=self.bucket, Key=key)
                gone += 1
        return gone

    def _end(self) -> Mark:
        """The newest line, looked for from the newest that this process knows."""
        keys = list(self._keys(self._newest.seq))
        each = self._read(keys[-1]) if keys else None
        if each is not None:
            self._newest, self._last = Mark(each.seq, each.digest), each
        return self._newest

    def _refuse_unless_known(self, end: Mark, knows: Knows) -> None:
        line = self._last
        if line is None or line.seq != end.seq:
            line = self._read(self._line(end.seq))
        if line is None or not knows(line):
            raise JournalError(
                f"another record has written to the journal {self.name}, or its end is gone: this"
                " record does not know the newest line; see the page Record"
            )
        self._known = end.seq

    def _is_there(self, mine: Line) -> bool:
        """Whether what is there is ours: the answer to our own request was lost."""
        there = self._read(self._line(mine.seq))
        return there is not None and there.digest == mine.digest

    def _keys(self, after: int) -> Iterator[str]:
        pages = _client(os.getpid()).get_paginator("list_objects_v2")
        named = {"Bucket": self.bucket, "Prefix": self._key("lines/")}
        for page in pages.paginate(**named, StartAfter=self._line(after)):
            yield from (each["Key"] for each in page.get("Contents", ()))

    def _read(self, key: str) -> Line | None:
        content = self._get(key)
        told = None if content is None else chain.decoded(content)
        if content is None or told is None:
            return None
        return chain.line(content, told, number=int(key.rsplit("/", 1)[1]), at="")

    def _get(self, key: str) -> bytes | None:
        try:
            found = _client(os.getpid()).get_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            if _status(error) == NOT_THERE:
                return None
            raise
        content: bytes = found["Body"].read()
        return content

    def _put(self, key: str, content: bytes) -> bool:
        """Whether the object was created; False: one is there, or nobody can tell."""
        put = {"Bucket": self.bucket, "Key": key, "Body": content, "IfNoneMatch": "*"}
        try:
            _client(os.getpid()).put_object(**put)
        except ClientError as error:
            if _status(error) not in TAKEN:
                raise
            return False
        return True

    def _line(self, seq: int) -> str:
        return self._key(f"lines/{seq:012}")

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    @contextmanager
    def _as_sentence(self) -> Iterator[None]:
        try:
            yield
        except (ClientError, BotoCoreError, json.JSONDecodeError) as error:
            raise JournalError(
                f"the journal {self.name} cannot be written or read ({error}); see to the store or "
                "its credentials, then the run goes on by itself"
            ) from error


@lru_cache(maxsize=1)
def _client(pid: int) -> Any:  # noqa: ARG001 - a connection that was opened before a fork is nobody's
    return boto3.session.Session().client("s3", config=CONFIG)


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
