"""The data keys of tenants and of people, each wrapped by the key ring. Never a key as it is."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class DataKey(models.Model):
    """What encrypts one tenant's fields, or those about one person of it (`person` not empty).

    `person` is a keyed digest of who it is. Erasing destroys `wrapped` for ever; the row stays and
    says when.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, related_name="+")
    person = models.BinaryField(default=b"")
    wrapped = models.BinaryField(null=True)
    wrapped_by = models.CharField(max_length=40)
    made_at = models.DateTimeField(db_default=Now())
    erased_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "tenants"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "person"],
                condition=Q(erased_at__isnull=True),
                name="one_live_data_key_per_person",
            ),
            models.CheckConstraint(
                condition=Q(wrapped__isnull=True, erased_at__isnull=False)
                | Q(wrapped__isnull=False, erased_at__isnull=True),
                name="an_erased_key_is_gone",
            ),
        ]
        indexes = [models.Index(fields=["wrapped_by"], name="data_keys_by_ring_key")]

    def __str__(self) -> str:
        return f"data key {self.id}"


class PersonKey(models.Model):
    """What encrypts a person's own secrets here: second factors, the address of their webhook.

    Of the installation, not of a tenant. Erasing destroys `wrapped` for ever, as with a data key.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    wrapped = models.BinaryField(null=True)
    wrapped_by = models.CharField(max_length=40)
    made_at = models.DateTimeField(db_default=Now())
    erased_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "tenants"
        constraints = [
            models.UniqueConstraint(
                fields=["person"],
                condition=Q(erased_at__isnull=True),
                name="one_live_key_per_person",
            ),
            models.CheckConstraint(
                condition=Q(wrapped__isnull=True, erased_at__isnull=False)
                | Q(wrapped__isnull=False, erased_at__isnull=True),
                name="an_erased_person_key_is_gone",
            ),
        ]
        indexes = [models.Index(fields=["wrapped_by"], name="person_keys_by_ring_key")]

    def __str__(self) -> str:
        return f"person key {self.id}"
