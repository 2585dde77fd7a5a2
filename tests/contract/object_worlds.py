"""The worlds of the object tool: a real store, and one that ignores preconditions."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import boto3.session
from botocore.config import Config
from botocore.exceptions import ClientError

from agents.tools.objects.declared import load_file
from agents.tools.objects.tool import PutDocument
from agents.tools.wire.reach import Reach
from reconciliation.tools import Call, Json
from tests.contract.http_worlds import DECLARATIONS
from tests.contract.wire import CUT, MUTE, Marks, Wire
from tests.contract.worlds import make_call, reference_to
from tests.servers import running

BUCKET = "docs"
MARKS = Marks(asks=b"PUT /", asked=b"PUT /", answered=b"\r\n\r\n")


class StoreWorld:
    """One bucket that all tests of a session share; each action has a name of its own in it."""

    def __init__(self, port: int) -> None:
        self._client = client_of(port)
        with suppress(ClientError):
            self._client.create_bucket(Bucket=BUCKET)
        self.wire = Wire(port, MARKS)
        self.environment = {
            "KEDGE_TEST_S3": f"http://127.0.0.1:{self.wire.port}",
            "KEDGE_TEST_S3_ID": running.S3_LOGIN[0],
            "KEDGE_TEST_S3_SECRET": running.S3_LOGIN[1],
        }
        reach = Reach(self.environment, frozenset({f"127.0.0.1:{self.wire.port}"}))
        self.tool = PutDocument(load_file(DECLARATIONS / "store_receipt.json"), reach)

    def call(self) -> Call:
        content = "Refunded: 12,50 €\n".encode()
        given = {"name": "receipt.txt", "media": "text/plain; charset=utf-8"}
        return make_call({**given, "document": reference_to(content)}, content)

    def odd_parameters(self) -> list[dict[str, Json]]:
        empty = reference_to(b"")
        return [
            {"name": "x" * 100, "media": "application/pdf", "document": empty},
            {"name": "0..", "media": "text/x.y+json", "document": empty},
        ]

    def effects(self, key: str) -> int:
        return sum(
            written.get("kedge-key") == key and written.get("kedge-kind") == "document"
            for written in map(self._metadata, self._names())
        )

    def seen_outside(self) -> object:
        return [(name, self._metadata(name)) for name in self._names()]

    def requests(self) -> int:
        return self.wire.requests

    def refuse(self) -> None:
        self.environment["KEDGE_TEST_S3_SECRET"] = "not the secret"

    def lose_answers(self) -> None:
        self.wire.mode = CUT

    def hang(self) -> None:
        self.wire.mode = MUTE

    def close(self) -> None:
        self.wire.close()
        for name in self._names():
            self._client.delete_object(Bucket=BUCKET, Key=name)

    def _names(self) -> list[str]:
        found = self._client.list_objects_v2(Bucket=BUCKET, Prefix="receipts/")
        return sorted(each["Key"] for each in found.get("Contents", []))

    def _metadata(self, name: str) -> dict[str, str]:
        found: dict[str, str] = self._client.head_object(Bucket=BUCKET, Key=name)["Metadata"]
        return found


@cache
def client_of(port: int) -> Any:
    """A client as anybody would make one."""
    return boto3.session.Session().client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id=running.S3_LOGIN[0],
        aws_secret_access_key=running.S3_LOGIN[1],
        config=Config(s3={"addressing_style": "path"}),
    )


def seaweed(_: Path) -> StoreWorld:
    return StoreWorld(running.seaweed())


def s3rver(_: Path) -> StoreWorld:
    return StoreWorld(running.s3rver())
