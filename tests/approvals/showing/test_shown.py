"""Which parts of a request people opened is a fact: kept once, never changed, with the bytes' digest."""

import hashlib

import pytest
from django.db import IntegrityError, connection, transaction

from approvals.models import ApprovalRequest, OpenedPart
from approvals.showing import shown
from approvals.showing.shown import Part
from tests.approvals.asking import asked_about, git_diff
from tests.people import ada, dee

pytestmark = pytest.mark.django_db

DIGEST = hashlib.sha256(b"").hexdigest()


@pytest.fixture
def asked() -> ApprovalRequest:
    return asked_about(git_diff(3))


def test_what_each_person_opened_is_kept_in_order(asked: ApprovalRequest) -> None:
    one, other = Part("file/1/1", 0, 9, DIGEST), Part("file/2/1", 9, 20, DIGEST)
    shown.record(asked.pk, dee(asked.tenant), [one])
    shown.record(asked.pk, ada(asked.tenant), [other, one])
    found = [(row.user.name, row.part, row.from_byte, row.to_byte) for row in shown.opened(asked)]
    assert found == [
        ("Dee", "file/1/1", 0, 9),
        ("Ada", "file/2/1", 9, 20),
        ("Ada", "file/1/1", 0, 9),
    ]
    assert shown.opened_by(asked, dee()) == {"file/1/1"}


def test_a_part_opened_again_keeps_its_first_time_and_bytes(asked: ApprovalRequest) -> None:
    user = dee(asked.tenant)
    shown.record(asked.pk, user, [Part("text/1", 0, 9, DIGEST)])
    first = shown.opened(asked)[0]
    shown.record(asked.pk, user, [Part("text/1", 0, 5, "b" * 64), Part("text/1", 0, 7, "c" * 64)])
    assert [(row.pk, row.at, row.digest) for row in shown.opened(asked)] == [
        (first.pk, first.at, DIGEST)
    ]


def test_what_was_opened_is_never_changed_or_deleted(asked: ApprovalRequest) -> None:
    shown.record(asked.pk, dee(asked.tenant), [Part("text/1", 0, 9, DIGEST)])
    for change in (
        "UPDATE approvals_openedpart SET part = 'x'",
        "DELETE FROM approvals_openedpart",
    ):
        with (
            pytest.raises(IntegrityError, match="only ever added"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(change)
    assert OpenedPart.objects.count() == 1


@pytest.mark.parametrize(
    "part",
    [
        Part("text/1", 0, 9, "A" * 64),
        Part("text/1", 0, 9, "abc"),
        Part("", 0, 9, DIGEST),
        Part("text/1", -1, 9, DIGEST),
        Part("text/1", 9, 8, DIGEST),
    ],
)
def test_a_part_has_a_name_a_digest_and_a_place(asked: ApprovalRequest, part: Part) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        shown.record(asked.pk, dee(asked.tenant), [part])
