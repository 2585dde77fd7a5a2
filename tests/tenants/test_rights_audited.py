"""No right changes without a row (A56): not by a bulk change, not by raw SQL, not by a verb."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db import IntegrityError, connection

from tenants import access
from tenants.actors import Actor
from tenants.models import (
    AuditRow,
    Tenant,
    TenantGroupObjectPermission,
    TenantUserObjectPermission,
    User,
)
from tenants.people import give_role
from tests.people import bob, make_tenant
from tests.test_shape import FLOORS

pytestmark = pytest.mark.django_db

OPERATOR = Actor.machine("test")


def permission(codename: str) -> Permission:
    return Permission.objects.get(codename=codename, content_type__app_label="tenants")


def rows(tenant: Tenant | None) -> list[tuple[str, str, object]]:
    found = AuditRow.objects.filter(tenant=tenant, actor_id="database").order_by("audit_id")
    return [(row.verb, row.subject, row.detail) for row in found]


def test_a_right_given_and_taken_in_bulk_leaves_rows() -> None:
    acme = make_tenant()
    user = bob()
    TenantUserObjectPermission.objects.bulk_create(
        TenantUserObjectPermission(content_object=acme, user=user, permission=permission(name))
        for name in ("audit", "approve_actions")
    )
    TenantUserObjectPermission.objects.filter(user=user).delete()
    rights = {"rights": ["approve_actions", "audit"]}
    assert rows(acme) == [
        ("give_right", f"person:{user.pk}", rights),
        ("take_right", f"person:{user.pk}", rights),
    ]


def test_raw_sql_leaves_a_row_that_names_the_database_user() -> None:
    acme, user = make_tenant(), bob()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tenants_tenantuserobjectpermission"
            " (content_object_id, user_id, permission_id) VALUES (%s, %s, %s)",
            [acme.pk, user.pk, permission("audit").pk],
        )
        cursor.execute("SELECT session_user")
        who = cursor.fetchone()[0]
    assert AuditRow.objects.get(verb="give_right").actor_name == who


def test_rights_of_groups_and_who_is_in_them_leave_rows() -> None:
    acme, user = make_tenant(), bob()
    group = Group.objects.create(name="release managers")
    TenantGroupObjectPermission.objects.create(
        content_object=acme, group=group, permission=permission("approve_actions")
    )
    user.groups.add(group)
    user.groups.clear()
    assert rows(acme) == [("give_right", f"group:{group.pk}", {"rights": ["approve_actions"]})]
    assert rows(None) == [
        ("join_group", f"person:{user.pk}", {"groups": [group.pk]}),
        ("leave_group", f"person:{user.pk}", {"groups": [group.pk]}),
    ]


def test_whoever_is_made_inactive_or_active_leaves_a_row() -> None:
    user = bob()
    User.objects.filter(pk=user.pk).update(is_active=False)
    User.objects.filter(pk=user.pk).update(is_active=False)
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert [verb for verb, _, _ in rows(None)] == ["deactivate_person", "activate_person"]


def test_a_right_cannot_be_turned_into_another() -> None:
    acme = make_tenant()
    bob(acme)
    with pytest.raises(IntegrityError, match="never turned into another"):
        TenantUserObjectPermission.objects.update(permission=permission("approve_actions"))


def test_a_verb_leaves_its_own_row_and_no_second_one() -> None:
    acme, user = make_tenant(), bob()
    give_role(acme, user, "auditor", actor=OPERATOR)
    assert [row.verb for row in AuditRow.objects.filter(tenant=acme)] == ["give_role"]
    assert rows(acme) == []
    TenantUserObjectPermission.objects.filter(user=user).delete()
    assert [verb for verb, _, _ in rows(acme)] == ["take_right"], "the verb's word is over"


def test_a_change_that_changes_nothing_leaves_no_row() -> None:
    acme = make_tenant()
    TenantUserObjectPermission.objects.filter(content_object=acme).delete()
    assert rows(acme) == []


def test_only_audited_verbs_give_and_take_rights() -> None:
    """`access.grant` and `access.revoke` leave no row themselves."""
    root = Path(settings.BASE_DIR)
    calls = re.compile(r"access\.(?:grant|revoke)\(|from tenants\.access import .*(?:grant|revoke)")
    floors = [root / name for name in FLOORS]
    callers = {
        str(path.relative_to(root))
        for floor in floors
        for path in floor.rglob("*.py")
        if calls.search(path.read_text(encoding="utf-8"))
    }
    assert callers == {"tenants/people.py"}


def test_access_still_answers_after_the_triggers() -> None:
    acme, user = make_tenant(), bob()
    access.grant(acme, user, "audit")
    assert access.of(user).may(acme.pk, "audit")
    access.revoke(acme, user, "audit")
    assert not access.of(user).may(acme.pk, "audit")
    assert rows(acme) == []
