"""PostgreSQL's own sha256."""

import hashlib

import pytest
from django.db.models import BinaryField, Value

from checkpoints.functions import Sha256
from checkpoints.models import Run
from tests.engine.turns import Bench


@pytest.mark.parametrize("content", [b"", b"a", bytes(range(256))])
def test_the_database_computes_the_same_digest(engine: Bench, content: bytes) -> None:
    engine.start()
    value = Value(content, output_field=BinaryField())
    found = Run.objects.values_list(Sha256(value), flat=True).get()
    assert bytes(found) == hashlib.sha256(content).digest()
