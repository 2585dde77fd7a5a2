"""Rights: what counts, what does not, and that it is one query."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Group, Permission
from pytest_django import DjangoAssertNumQueries

from tenants import access
from tenants.models import Tenant, TenantGroupObjectPermission, User
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


def through_group(tenant: Tenant, user: User, codename: str) -> None:
    group = Group.objects.create(name="night shift")
    user.groups.add(group)
    TenantGroupObjectPermission.objects.create(
        group=group,
        content_object=tenant,
        permission=Permission.objects.get(codename=codename, content_type__model="tenant"),
    )


def test_rights_of_person_and_groups_are_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    user = bob(acme)
    through_group(other, user, "audit")
    with django_assert_num_queries(1):
        found = access.of(user)
    assert found.rights == {acme.pk: frozenset({"view_runs"}), other.pk: frozenset({"audit"})}
    assert found.slugs == {acme.pk: "acme", other.pk: "other"}


def test_may_answers_per_tenant() -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    bob(other)
    found = access.of(ada(acme))
    assert found.may(acme.pk, "approve_actions")
    assert not found.may(other.pk, "approve_actions")
    assert not found.may(acme.pk, "manage_tenant")
    assert found.sees(acme.pk)
    assert not found.sees(other.pk)


def test_tenants_lists_only_where_the_right_is_held() -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    user = dee(acme)
    bob(other)
    access.grant(other, user, "view_runs")
    found = access.of(user)
    assert found.tenants("view_runs") == {acme.pk, other.pk}
    assert found.tenants("approve_actions") == {acme.pk}
    assert found.tenants("audit") == frozenset()


def test_a_stranger_and_nobody_have_nothing(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    make_tenant()
    assert access.of(cy()).rights == {}
    with django_assert_num_queries(0):
        assert access.of(AnonymousUser()).rights == {}


def test_an_inactive_person_has_nothing() -> None:
    acme = make_tenant()
    user = ada(acme)
    through_group(acme, user, "audit")
    stale = User.objects.get(pk=user.pk)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert stale.is_active
    assert access.of(stale).rights == {}
    assert access.of(User.objects.get(pk=user.pk)).rights == {}


def test_superuser_and_global_permissions_are_ignored() -> None:
    make_tenant()
    user = cy()
    user.is_superuser = True
    user.save(update_fields=["is_superuser"])
    user.user_permissions.set(Permission.objects.filter(content_type__model="tenant"))
    assert access.of(user).rights == {}


def test_granting_twice_changes_nothing_and_revoking_takes_away() -> None:
    acme = make_tenant()
    user = bob(acme)
    access.grant(acme, user, "view_runs", "audit")
    assert access.of(user).rights[acme.pk] == {"view_runs", "audit"}
    access.revoke(acme, user, "audit")
    assert access.of(user).rights[acme.pk] == {"view_runs"}


def test_an_unknown_right_is_refused() -> None:
    with pytest.raises(KeyError, match="approve_everything"):
        access.grant(make_tenant(), bob(), "approve_everything")


def test_holders_are_the_active_people_who_can() -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    first, second, away = ada(acme), dee(acme), bob(acme)
    access.grant(acme, away, "approve_actions")
    User.objects.filter(pk=away.pk).update(is_active=False)
    grouped = cy()
    through_group(acme, grouped, "approve_actions")
    access.grant(acme, grouped, "approve_actions")
    assert access.holders(acme, "approve_actions") == [first, second, grouped]
    assert access.holders(other, "approve_actions") == []


def test_nobody_asks_django_or_guardian_about_rights() -> None:
    asked = re.compile(r"has_perms?\(|get_objects_for_user|permission_required|get_perms\(")
    apps = (
        "agents",
        "approvals",
        "checkpoints",
        "config",
        "execution",
        "reconciliation",
        "releases",
        "tenants",
    )
    guilty = [
        str(path)
        for app in apps
        for path in (Path(settings.BASE_DIR) / app).rglob("*.py")
        if asked.search(path.read_text())
    ]
    assert guilty == []
