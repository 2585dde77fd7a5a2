"""An edit stands in the same inbox as approvals and cases, until somebody else decided it."""

import pytest
from django.db import transaction

from approvals.edits import waiting
from checkpoints.models import Case
from reconciliation.pages import queries
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed
from tests.reconciliation.deskwork import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def test_it_waits_for_the_second_person_and_says_so_to_the_author(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    address = f"/t/{desk.engine.tenant.slug}/inbox/"
    found = {row.waiting.id: row for row in signed_in(desk.author).get(address).context["rows"]}
    assert (found[edit.pk].yours, str(found[edit.pk].who)) == (
        False,
        "somebody else: you wrote it",
    )
    theirs = signed_in(desk.second)
    page = theirs.get(address, {"kind": "edit"})
    assert [(row.waiting.id, row.yours) for row in page.context["rows"]] == [(edit.pk, True)]
    assert (page.context["total"], page.context["hidden"]) == (2, 1)
    assert f"/edits/{edit.pk}/" in theirs.get(f"{address}next/")["Location"]
    home = theirs.get(f"/t/{desk.engine.tenant.slug}/")
    assert b"?kind=edit" in home.content


def test_it_waits_no_more_once_it_is_decided_or_its_case_went_another_way(desk: Desk) -> None:
    edit, tenant = desk.write({"amount": 7}), desk.engine.tenant
    assert queries.inbox_counts(tenant) == {"edit": 1, "crash_loop": 1}
    with transaction.atomic():
        Case.objects.filter(pk=desk.case.pk).update(decided_at="2020-01-01T00:00Z")
        assert waiting.inbox([tenant.pk]) == []
        transaction.set_rollback(True)
    desk.decide(edit, "reject", "no")
    assert queries.inbox_counts(tenant) == {"crash_loop": 1}
