"""Notes on a case: what somebody wrote down for whoever comes next. Only ever added."""

from typing import Final

from canonical.redaction import Said
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Note
from tenants.keys import hiding
from tenants.models import User

MOST: Final = 200
LONGEST: Final = 8000


def write(case: Case, text: Said, *, user: User) -> Note:
    """Add a note, also to a case that is closed. Raises `IllegalMoveError` for an empty one."""
    said = hiding.said(text).strip()[:LONGEST]
    if not said:
        raise IllegalMoveError("a note says something")
    return Note.objects.create(tenant=case.tenant, case=case, text=said, written_by=user)


def of(case: Case) -> list[Note]:
    """The newest notes of a case, oldest first, at most `MOST`."""
    found = Note.objects.filter(case=case).select_related("written_by").order_by("-id")
    return list(found[:MOST])[::-1]
