"""An object store for a journal, on the SeaweedFS of this session; what is in it, read and put directly."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import boto3.session
import pytest
from botocore.config import Config

from tests.servers import running

BUCKET = "journal"
CONFIG = Config(
    s3={"addressing_style": "path"},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


@contextmanager
def journal_store() -> Iterator[str]:
    """The `KEDGE_JOURNAL_URL` of a journal that has no line yet; its variables are set meanwhile."""
    # A program that needs the store alone has not set Django up.
    from reconciliation.journal import objects  # noqa: PLC0415

    with serving():
        objects._client.cache_clear()
        yield address()
        objects._client.cache_clear()


@contextmanager
def serving() -> Iterator[None]:
    """The store is there, with a bucket for journals, and the AWS_* variables lead to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{running.seaweed()}")
        patch.setenv("AWS_ACCESS_KEY_ID", running.S3_LOGIN[0])
        patch.setenv("AWS_SECRET_ACCESS_KEY", running.S3_LOGIN[1])
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client = _client()
        if BUCKET not in [each["Name"] for each in client.list_buckets()["Buckets"]]:
            client.create_bucket(Bucket=BUCKET)
        yield


def address() -> str:
    """Of a journal that has nothing yet."""
    return f"s3://{BUCKET}/{uuid4()}"


def keys(begin: str) -> list[str]:
    """The addresses of all objects that begin like this, in order."""
    pages = _client().get_paginator("list_objects_v2")
    found = pages.paginate(Bucket=BUCKET, Prefix=_key(begin))
    return [f"s3://{BUCKET}/{each['Key']}" for page in found for each in page.get("Contents", ())]


def content(at: str) -> bytes:
    """What is at this address."""
    read: bytes = _client().get_object(Bucket=BUCKET, Key=_key(at))["Body"].read()
    return read


def put(at: str, given: bytes) -> None:
    """Put it there."""
    _client().put_object(Bucket=BUCKET, Key=_key(at), Body=given)


def _client() -> Any:
    return _client_at(os.environ["AWS_ENDPOINT_URL_S3"])


@cache
def _client_at(_address: str) -> Any:
    """Made once for each store: it takes longer than what it is asked for."""
    return boto3.session.Session().client("s3", config=CONFIG)


def _key(at: str) -> str:
    return urlsplit(at).path.lstrip("/")
