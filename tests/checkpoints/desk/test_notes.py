"""Notes: in order, of one case, and never changed."""

import pytest

from checkpoints.desk import notes
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Note
from tenants.models import Tenant, User
from tests.checkpoints.records import refused
from tests.people import make_tenant
from tests.reconciliation.deskwork import held

pytestmark = pytest.mark.django_db


def test_notes_come_back_in_the_order_they_were_written(
    case: Case, tenant: Tenant, first: User, second: User
) -> None:
    other = held(tenant, "unmigratable")
    notes.write(other, "Elsewhere.", user=first)
    notes.write(case, " Rang the bank. ", user=first)
    notes.write(case, "They look.", user=second)
    found = [(note.text, note.written_by) for note in notes.of(case)]
    assert found == [("Rang the bank.", first), ("They look.", second)]


def test_an_empty_note_is_none(case: Case, first: User) -> None:
    with pytest.raises(IllegalMoveError, match="says something"):
        notes.write(case, " \n ", user=first)
    with refused("a_note_says_something"):
        Note.objects.create(tenant=case.tenant, case=case, text="", written_by=first)


def test_the_database_refuses_to_change_delete_or_misplace_a_note(case: Case, first: User) -> None:
    notes.write(case, "Seen.", user=first)
    with refused("UPDATE of checkpoints_note refused"):
        Note.objects.update(text="Never.")
    with refused("DELETE of checkpoints_note refused"):
        Note.objects.all().delete()
    with refused("of another tenant than its case"):
        Note.objects.create(tenant=make_tenant("other"), case=case, text="x", written_by=first)
