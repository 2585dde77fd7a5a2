"""Large values by content."""

import pytest

from canonical import digests
from checkpoints import blobs
from checkpoints.errors import DamagedRecordError, MissingBlobError, StateRefusedError
from checkpoints.models import Blob
from tests.checkpoints.records import by_force, refused
from tests.engine.turns import Bench
from tests.people import make_tenant

CONTENT_RULE = ("checkpoints_blob", "blob_digest_is_of_its_content")


def test_what_is_put_is_got_back(engine: Bench) -> None:
    reference = blobs.put(engine.tenant.pk, b"\x00large\xff")
    assert reference == {"$blob": digests.sha256_hex(b"\x00large\xff"), "size": 7}
    assert blobs.get(engine.tenant.pk, reference) == b"\x00large\xff"


def test_the_same_bytes_are_one_row(engine: Bench) -> None:
    assert blobs.put(engine.tenant.pk, b"x") == blobs.put(engine.tenant.pk, b"x")
    assert Blob.objects.count() == 1


def test_a_tenant_does_not_see_the_blobs_of_another(engine: Bench) -> None:
    reference = blobs.put(engine.tenant.pk, b"x")
    with pytest.raises(MissingBlobError):
        blobs.get(make_tenant("other").pk, reference)


def test_a_missing_blob_is_named(engine: Bench) -> None:
    reference = blobs.put(engine.tenant.pk, b"x")
    Blob.objects.all().delete()
    with pytest.raises(MissingBlobError, match=f"blob {reference['$blob']} is missing"):
        blobs.get(engine.tenant.pk, reference)


def test_changed_bytes_are_found(engine: Bench) -> None:
    reference = blobs.put(engine.tenant.pk, b"x")
    with by_force(CONTENT_RULE):
        Blob.objects.update(content=b"y")
    with pytest.raises(DamagedRecordError, match="not what its digest says"):
        blobs.get(engine.tenant.pk, reference)


def test_a_damaged_row_is_found_when_the_same_bytes_are_put_again(engine: Bench) -> None:
    blobs.put(engine.tenant.pk, b"x")
    with by_force(CONTENT_RULE):
        Blob.objects.update(content=b"y")
    with pytest.raises(DamagedRecordError):
        blobs.put(engine.tenant.pk, b"x")


def test_a_blob_over_the_limit_is_refused_with_its_size(engine: Bench) -> None:
    with pytest.raises(StateRefusedError, match=f"a blob of {blobs.LIMIT_BYTES + 1} bytes"):
        blobs.put(engine.tenant.pk, bytes(blobs.LIMIT_BYTES + 1))
    assert not Blob.objects.exists()


def test_the_database_refuses_a_digest_of_other_bytes(engine: Bench) -> None:
    with refused(CONTENT_RULE[1]):
        Blob.objects.create(tenant=engine.tenant, digest=bytes(32), content=b"x")


def test_the_database_refuses_to_change_a_blob(engine: Bench) -> None:
    blobs.put(engine.tenant.pk, b"x")
    with refused("these rows are facts"):
        Blob.objects.update(created_at="2020-01-01T00:00:00Z")


def test_references_are_found_at_any_depth() -> None:
    value = {"a": [{"b": {"$blob": "1", "size": 3}}, "x"], "$blob": "2", "c": {"$blob": 5}}
    assert sorted(blobs.named_in(value)) == ["1", "2"]
