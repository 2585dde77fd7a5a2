"""An object store for a journal, on the SeaweedFS of this session."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from reconciliation.journal import objects
from tests.servers import running

BUCKET = "journal"


@contextmanager
def journal_store() -> Iterator[str]:
    """The `KEDGE_JOURNAL_URL` of a journal that has no line yet; its variables are set meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{running.seaweed()}")
        patch.setenv("AWS_ACCESS_KEY_ID", running.S3_LOGIN[0])
        patch.setenv("AWS_SECRET_ACCESS_KEY", running.S3_LOGIN[1])
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        objects._client.cache_clear()
        client = objects._client(os.getpid())
        if BUCKET not in [each["Name"] for each in client.list_buckets()["Buckets"]]:
            client.create_bucket(Bucket=BUCKET)
        yield f"s3://{BUCKET}/{uuid4()}"
        objects._client.cache_clear()
