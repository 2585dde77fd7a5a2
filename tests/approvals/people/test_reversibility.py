"""The class of a tool is the tenant's word: the worst until people say another, with a reason."""

import pytest
from django.db import DatabaseError, transaction

from approvals.errors import ReasonMissingError
from approvals.models import ToolClass
from approvals.people import reversibility
from tenants import access
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import AuditRow, Tenant
from tests.checkpoints.lifts import proved
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db

SHELL = Actor.machine("command line")


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def test_without_a_word_a_tool_is_irreversible(tenant: Tenant) -> None:
    assert reversibility.class_of(tenant.pk, "pay") == "irreversible"
    assert reversibility.classes_of(tenant) == []


def test_the_newest_word_counts_per_tenant_and_tool_and_every_one_is_kept(tenant: Tenant) -> None:
    for said in ("reversible", "compensable"):
        reversibility.set_class(tenant, "pay", said, actor=SHELL, why="Tried it.")
    reversibility.set_class(make_tenant("other"), "pay", "reversible", actor=SHELL, why="Ours.")
    assert reversibility.class_of(tenant.pk, "pay") == "compensable"
    assert reversibility.class_of(tenant.pk, "mail") == "irreversible"
    assert [(each.tool, each.reversibility) for each in reversibility.classes_of(tenant)] == [
        ("pay", "compensable")
    ]
    assert ToolClass.objects.filter(tenant=tenant).count() == 2


def test_each_word_is_audited_with_what_was_before(tenant: Tenant) -> None:
    reversibility.set_class(tenant, "pay", "reversible", actor=SHELL, why="Tried it.")
    row = AuditRow.objects.get(tenant=tenant, verb="classify_tool")
    assert (row.subject, row.actor_name) == ("tool:pay", "command line")
    assert row.detail == {
        "tool": "pay",
        "was": "irreversible",
        "is": "reversible",
        "why": "Tried it.",
    }


def test_only_who_manages_the_tenant_says_it(tenant: Tenant) -> None:
    access.grant(tenant, dee(), "manage_tenant")
    said = reversibility.set_class(
        tenant, "pay", "reversible", actor=proved(dee()), why="Tried it."
    )
    assert said.set_by == "Dee"
    for nobody in (Actor.person(ada(tenant)), Actor.stranger("192.0.2.1")):
        with pytest.raises(Denied):
            reversibility.set_class(tenant, "pay", "compensable", actor=nobody, why="No.")
    assert reversibility.class_of(tenant.pk, "pay") == "reversible"


def test_no_reason_no_such_class_and_no_name_are_refused(tenant: Tenant) -> None:
    with pytest.raises(ReasonMissingError):
        reversibility.set_class(tenant, "pay", "reversible", actor=SHELL, why="  ")
    with pytest.raises(ValueError, match="harmless"):
        reversibility.set_class(tenant, "pay", "harmless", actor=SHELL, why="So it says.")
    with pytest.raises(ValueError, match="characters"):
        reversibility.set_class(tenant, "", "reversible", actor=SHELL, why="Tried it.")
    assert not ToolClass.objects.exists()


def test_what_was_said_is_never_changed_nor_deleted(tenant: Tenant) -> None:
    reversibility.set_class(tenant, "pay", "irreversible", actor=SHELL, why="Tried it.")
    for change in (
        lambda: ToolClass.objects.update(reversibility="reversible"),
        lambda: ToolClass.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
            change()
