"""The one question about rights: what may this person do, at which tenant."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser, Permission
from django.db import connection, transaction
from django.db.models import Q

from tenants.audit import told
from tenants.database import execute
from tenants.models import Tenant, TenantGroupObjectPermission, TenantUserObjectPermission, User

OF_TENANTS = Q(
    permission__content_type__app_label="tenants", permission__content_type__model="tenant"
)


@dataclass(frozen=True)
class Access:
    """What one person may do: `rights` maps tenant id to permission codenames, `slugs` to its slug.

    A tenant at which the person has no right is in neither.
    """

    user_id: int | None = None
    rights: Mapping[int, frozenset[str]] = field(default_factory=dict)
    slugs: Mapping[int, str] = field(default_factory=dict)

    def may(self, tenant_id: int, codename: str) -> bool:
        """True if the person has this right at this tenant."""
        return codename in self.rights.get(tenant_id, frozenset())

    def sees(self, tenant_id: int) -> bool:
        """True if the person has any right at this tenant, so may know that it exists."""
        return tenant_id in self.rights

    def tenants(self, codename: str) -> frozenset[int]:
        """Ids of the tenants at which the person has this right: a filter for queries."""
        return frozenset(id_ for id_, codenames in self.rights.items() if codename in codenames)


def of(user: User | AnonymousUser) -> Access:
    """What the person may do everywhere, in one query.

    Counts rights given at a tenant, to the person or to one of their groups, and nothing else:
    superuser and global permissions are ignored, and an inactive person has nothing.
    """
    if user.pk is None or not user.is_active:
        return Access()
    rights: dict[int, set[str]] = {}
    slugs: dict[int, str] = {}
    with connection.cursor() as cursor:
        # With the owner's eyes: asked before it is known which tenants may be shown (see `wall`).
        cursor.execute("SELECT tenant, slug, codename FROM kedge_rights_of(%s)", [user.pk])
        for tenant_id, slug, codename in cursor.fetchall():
            rights.setdefault(tenant_id, set()).add(codename)
            slugs[tenant_id] = slug
    return Access(user.pk, {id_: frozenset(codes) for id_, codes in rights.items()}, slugs)


# Whether the row `person` has a right, as part of a statement with the values tenant and codename.
# Relies on the unique keys of guardian's two tables, which begin with the person or the group.
MAY = """
       person.is_active AND person.kind = 'person' AND EXISTS (
       SELECT 1 FROM auth_permission AS permission
         JOIN django_content_type AS kind ON kind.id = permission.content_type_id
        WHERE kind.app_label = 'tenants' AND kind.model = 'tenant'
          AND permission.codename = %(codename)s
          AND (EXISTS (
                SELECT 1 FROM tenants_tenantuserobjectpermission AS own
                 WHERE own.user_id = person.id AND own.permission_id = permission.id
                   AND own.content_object_id = %(tenant)s)
            OR EXISTS (
                SELECT 1 FROM tenants_tenantgroupobjectpermission AS shared
                  JOIN tenants_user_groups AS member ON member.group_id = shared.group_id
                 WHERE member.user_id = person.id AND shared.permission_id = permission.id
                   AND shared.content_object_id = %(tenant)s)))
"""
WHO_MAY = f"""
SELECT person.id FROM tenants_user AS person
 WHERE person.id = ANY(%(people)s) AND {MAY}
"""  # noqa: S608 - words of ours


def who_may(tenant_id: int, codename: str, people: Collection[int]) -> set[int]:
    """Which of these people (ids) are active and have this right at this tenant, right now."""
    values = {"tenant": tenant_id, "codename": codename, "people": list(people)}
    return {row[0] for row in execute(WHO_MAY, values)}


def grant(tenant: Tenant, user: User, *codenames: str) -> None:
    """Give a person rights at a tenant; a right they have already stays. Unknown right: KeyError.

    The caller writes the audit row: verbs of `tenants.people` do, nothing else may call this.
    """
    by_codename = {
        permission.codename: permission
        for permission in Permission.objects.filter(
            content_type__app_label="tenants", content_type__model="tenant"
        )
    }
    given = [
        TenantUserObjectPermission(
            content_object=tenant, user=user, permission=by_codename[codename]
        )
        for codename in codenames
    ]
    with transaction.atomic(), told():
        TenantUserObjectPermission.objects.bulk_create(given, ignore_conflicts=True)


def revoke(tenant: Tenant, user: User, *codenames: str) -> None:
    """Take rights given to the person directly at a tenant away; those of their groups stay.

    The caller writes the audit row, as for `grant`.
    """
    with transaction.atomic(), told():
        TenantUserObjectPermission.objects.filter(
            OF_TENANTS, content_object=tenant, user=user, permission__codename__in=codenames
        ).delete()


def holders(tenant: Tenant | None, codename: str) -> list[User]:
    """The active people who have this right at this tenant, oldest first; None: at any tenant."""
    given: dict[str, object] = {"permission__codename": codename}
    if tenant is not None:
        given["content_object"] = tenant
    own = TenantUserObjectPermission.objects.filter(OF_TENANTS, **given)
    through_groups = TenantGroupObjectPermission.objects.filter(OF_TENANTS, **given)
    return list(
        User.objects.filter(
            Q(pk__in=own.values("user_id")) | Q(groups__in=through_groups.values("group_id")),
            is_active=True,
            kind=User.Kind.PERSON,
        )
        .order_by("pk")
        .distinct()
    )


def named(tenant: Tenant, name: str) -> list[User]:
    """Who an e-mail address or the name of a group means: active people who see this tenant."""
    seeing = {user.pk: user for user in holders(tenant, "view_runs")}
    meant = User.objects.filter(Q(email=name.lower()) | Q(groups__name=name))
    return [
        seeing[pk]
        for pk in meant.order_by("pk").distinct().values_list("pk", flat=True)
        if pk in seeing
    ]
