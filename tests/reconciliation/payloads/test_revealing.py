"""An encrypted field is revealed to one person with the right, for a reason, with an audit row."""

import pytest
from django.http import Http404

from approvals.models import ApprovalRequest
from checkpoints.models import Run
from reconciliation.models import Action, Receipt
from reconciliation.payloads.places import Place, document
from reconciliation.payloads.revealing import reveal
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import keeping
from tenants.keys.errors import ErasedError
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.people import bob, make_tenant
from tests.secrecy.conftest import careless, engine, run
from tests.secrecy.registry import GIVEN, MAIL, PASSWORD, PERSON
from tests.secrecy.sinks import leaking

__all__ = ["careless", "engine", "run"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def done(careless: Bench, run: Run) -> Run:
    """The run at its end."""
    careless.turn()
    careless.decide(run)
    careless.turn()
    run.refresh_from_db()
    return run


def places(run: Run) -> list[tuple[Place, str, str]]:
    """A field of each kind of document, and its value."""
    action, receipt = Action.objects.get(run=run), Receipt.objects.get()
    return [
        (Place("input", run.pk), "/password", PASSWORD),
        (Place("input", run.pk), "/customer/mail", MAIL),
        (Place("state", run.pk, 1), "/token", PASSWORD),
        (Place("parameters", action.pk), "/customer/mail", MAIL),
        (Place("receipt", action.pk, receipt.pk), "/session", f"session-{PASSWORD[::-1]}"),
    ]


def test_every_kind_of_document_can_be_revealed(careless: Bench, done: Run) -> None:
    for place, path, value in places(done):
        told = reveal(careless.tenant, place, path, user=careless.starter, reason="to check")
        assert told == value
        row = AuditRow.objects.get(verb="reveal", subject=str(place), detail__path=path)
        assert (row.actor_id, row.detail["reason"]) == (str(careless.starter.pk), "to check")
        assert row.detail["shown"].startswith(("«secret ", "«personal "))
    assert leaking() == []


def test_no_right_no_value_and_no_row(careless: Bench, done: Run) -> None:
    place, path, _ = places(done)[0]
    for person in (bob(careless.tenant), bob(make_tenant("elsewhere"))):
        with pytest.raises(Denied):
            reveal(careless.tenant, place, path, user=person, reason="to check")
    assert not AuditRow.objects.filter(verb="reveal").exists()


def test_a_reason_that_quotes_the_value_is_redacted(careless: Bench, done: Run) -> None:
    place, path, value = places(done)[0]
    reveal(careless.tenant, place, path, user=careless.starter, reason=f"is it {value}?")
    assert AuditRow.objects.get(verb="reveal").detail["reason"].startswith("is it «secret ")
    assert leaking() == []


def test_no_reason_no_value(careless: Bench, done: Run) -> None:
    place, path, _ = places(done)[0]
    with pytest.raises(ValueError, match="for a reason"):
        reveal(careless.tenant, place, path, user=careless.starter, reason=" ")


def test_what_is_anothers_or_not_encrypted_is_not_there(careless: Bench, done: Run) -> None:
    foreign = make_tenant("elsewhere")
    for place, _path, _ in places(done):
        with pytest.raises(Http404):
            document(foreign, place)
    for place in (Place("state", done.pk, 99), Place("diff", done.pk), Place("receipt", done.pk)):
        with pytest.raises(Http404):
            document(careless.tenant, place)
    with pytest.raises(Http404):
        document(careless.tenant, Place("input", done.pk)).envelope("/customer/id")


def test_what_was_erased_cannot_be_revealed_and_leaves_no_row(careless: Bench, done: Run) -> None:
    keeping.erase(careless.tenant, PERSON, actor=Actor.machine("test"), reason="asked for it")
    found = document(careless.tenant, Place("input", done.pk))
    assert {field.path: field.erased for field in found.fields(careless.tenant)} == {
        "/customer/mail": True,
        "/password": False,
    }
    with pytest.raises(ErasedError):
        reveal(
            careless.tenant, found.place, "/customer/mail", user=careless.starter, reason="to check"
        )
    assert not AuditRow.objects.filter(verb="reveal").exists()
    assert GIVEN
    assert ApprovalRequest.objects.exists()
