"""Who there is: the installation, its tenants, the people and their rights, and the audit trail."""

import uuid
from typing import ClassVar

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractBaseUser, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower, Now
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from tenants.keys.models import DataKey  # noqa: F401 - one of our tables
from tenants.notifications.models import Notification  # noqa: F401 - one of our tables


class UserManager(BaseUserManager["User"]):
    """Makes people; an e-mail address is the sign-in name."""

    def create_user(self, email: str, password: str | None = None, *, name: str = "") -> "User":
        user = self.model(email=self.normalize_email(email).lower(), name=name)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser, PermissionsMixin):
    """A person. What they may do is per tenant, through object permissions on `Tenant`.

    A user of kind *service* is no person: it never has a session and never decides.
    """

    class Kind(models.TextChoices):
        PERSON = "person"
        SERVICE = "service"

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    joined_at = models.DateTimeField(db_default=Now())
    kind = models.CharField(max_length=16, default=Kind.PERSON, db_default=Kind.PERSON)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="a_sign_in_name_is_lower_case"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="person")
                | models.Q(("kind", "service"), ("password__startswith", "!")),
                name="a_service_user_has_no_password",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.email


class Installation(models.Model):
    """This installation, one row: who it is, and on which PostgreSQL its record was written.

    A trigger fills in the latter, and moves it only as two people lift the stop that stands for it.
    """

    only = models.BooleanField(primary_key=True, default=True)
    installation_id = models.UUIDField(default=uuid.uuid4)
    system_identifier = models.TextField(blank=True, default="")
    timeline = models.IntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(only=True), name="there_is_one_installation"),
        ]

    def __str__(self) -> str:
        return str(self.installation_id)


class Tenant(models.Model):
    """One customer of this installation; every row of a run belongs to exactly one."""

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        default_permissions = ()
        permissions = [
            ("view_runs", "See runs, checkpoints and actions"),
            ("read_payloads", "Read inputs, states, parameters and receipts"),
            ("operate_runs", "Start, hold, resume and cancel runs; stop effects"),
            ("approve_actions", "Approve or reject what a run wants to do"),
            ("reconcile_actions", "Resolve unknown outcomes"),
            ("manage_releases", "Manage which combo gets runs"),
            ("manage_tenant", "Manage people of the tenant"),
            ("audit", "Read the audit trail"),
        ]

    def __str__(self) -> str:
        return self.slug


class TenantUserObjectPermission(UserObjectPermissionBase):
    """One right of one person at one tenant (guardian's direct foreign key form)."""

    content_object = models.ForeignKey(Tenant, on_delete=models.CASCADE)


class TenantGroupObjectPermission(GroupObjectPermissionBase):
    """One right of one group at one tenant."""

    content_object = models.ForeignKey(Tenant, on_delete=models.CASCADE)


class AuditRow(models.Model):
    """One decision, intent or refused attempt, inserted by the verb that did it. Append-only."""

    audit_id = models.BigAutoField(primary_key=True)
    tenant = models.ForeignKey(Tenant, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    actor_kind = models.CharField(max_length=16)
    actor_id = models.TextField(blank=True, default="")
    actor_name = models.TextField(blank=True, default="", db_default="")
    verb = models.CharField(max_length=64)
    subject = models.TextField()
    detail = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(actor_kind__in=["person", "machine", "stranger"]),
                name="audit_actor_is_a_person_a_machine_or_a_stranger",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "-audit_id"], name="audit_by_tenant_newest"),
            models.Index(fields=["tenant", "-at", "-audit_id"], name="audit_by_time"),
            models.Index(fields=["tenant", "subject", "-at", "-audit_id"], name="audit_by_subject"),
            models.Index(fields=["tenant", "actor_id", "-at", "-audit_id"], name="audit_by_actor"),
            models.Index(fields=["tenant", "verb", "-at", "-audit_id"], name="audit_by_verb"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"


class AuditSeal(models.Model):
    """The place of an audit row in its tenant's hash chain, linked by the sealer. Append-only."""

    row = models.OneToOneField(AuditRow, primary_key=True, on_delete=models.PROTECT)
    tenant = models.ForeignKey(Tenant, null=True, on_delete=models.PROTECT, related_name="+")
    position = models.BigIntegerField()
    previous = models.BinaryField()
    # Digest of the row, so that a link can be shown without it; empty in links of the first form.
    content = models.BinaryField(default=b"", db_default=b"")
    digest = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "position"],
                name="audit_row_has_one_successor",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=models.Q(position__gte=1), name="audit_positions_start_at_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id}:{self.position}"


class AuditUnsealed(models.Model):
    """An audit row the sealer has not linked yet; PostgreSQL adds it with the row, by trigger."""

    row = models.OneToOneField(AuditRow, primary_key=True, on_delete=models.PROTECT)

    def __str__(self) -> str:
        return str(self.row_id)


class AuditUnsigned(models.Model):
    """A chain that grew since its last signed head: by how many rows, and since when."""

    tenant = models.ForeignKey(
        Tenant, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    rows = models.IntegerField()
    since = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant"],
                name="a_chain_waits_for_its_signature_once",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.rows}"


class AuditHead(models.Model):
    """That a chain had this end at this time, signed with a key PostgreSQL never sees. Append-only.

    Each also stands in a file outside PostgreSQL: whoever rewrites the chain here leaves it there.
    """

    tenant = models.ForeignKey(
        Tenant, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    position = models.BigIntegerField()
    digest = models.BinaryField()
    at = models.DateTimeField()
    key = models.CharField(max_length=16)
    signature = models.CharField(max_length=88)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "position"],
                name="a_place_in_a_chain_is_signed_once",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id}:{self.position}"


class RefusalCount(models.Model):
    """How often one actor was refused one verb since a time; what is too often gets no row."""

    tenant = models.ForeignKey(Tenant, null=True, on_delete=models.PROTECT, related_name="+")
    actor_kind = models.CharField(max_length=16)
    actor_id = models.TextField(blank=True, default="")
    verb = models.CharField(max_length=64)
    since = models.DateTimeField(db_default=Now())
    attempts = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "actor_kind", "actor_id", "verb"],
                name="refusals_of_one_actor_are_counted_once",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb}: {self.attempts}"


class SignInLink(models.Model):
    """A sign-in link of a demo installation: good for one use, until it expires."""

    token_digest = models.BinaryField(unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.user_id}"
