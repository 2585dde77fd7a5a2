"""A key of each person's own; second factors and webhooks move under it, and so under the key ring."""

import base64
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django.db.models.deletion
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now
from django.utils.encoding import force_bytes

from tenants.keys import people
from tenants.keys.errors import ErasedError, KeysError

AT_ONCE = 200
SECRETS = ("secret", "seed")
UNDO = "DROP TRIGGER erased_person_key_stays_erased ON tenants_personkey;"


def seal(apps: Any, schema_editor: Any) -> None:
    """Under the person's key what was under Django's secret key, and what was plain."""
    keys, older = apps.get_model("tenants", "PersonKey"), django_keys()
    for row in batches(apps.get_model("mfa", "Authenticator").objects.all()):
        row.data = {
            name: people.sealed(
                row.user_id, unfolded(older, row, value), use=people.SECOND_FACTOR, model=keys
            )
            if name in SECRETS and not people.is_sealed(value)
            else value
            for name, value in row.data.items()
        }
        row.save(update_fields=["data"])
    for row in batches(chosen(apps).exclude(webhook_url="")):
        row.webhook = people.sealed(row.person_id, row.webhook_url, use=people.WEBHOOK, model=keys)
        row.save(update_fields=["webhook"])
    settle(schema_editor)


def unseal(apps: Any, schema_editor: Any) -> None:
    """Back to where they were. What was erased stays so: it opens under no key."""
    keys, older = apps.get_model("tenants", "PersonKey"), django_keys()
    for row in batches(apps.get_model("mfa", "Authenticator").objects.all()):
        for name in SECRETS:
            kept = row.data.get(name, "")
            if people.is_sealed(kept) and (plain := unerased(kept, people.SECOND_FACTOR, keys)):
                row.data[name] = older.encrypt(plain.encode()).decode()
        row.save(update_fields=["data"])
    for row in batches(chosen(apps).exclude(webhook="")):
        row.webhook_url = unerased(row.webhook, people.WEBHOOK, keys)
        row.save(update_fields=["webhook_url"])
    settle(schema_editor)


def batches(rows: Any) -> Iterator[Any]:
    """All rows, a batch of them in memory at a time."""
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:AT_ONCE]):
        yield from batch
        last = batch[-1].pk


def chosen(apps: Any) -> Any:
    return apps.get_model("tenants", "NotificationChoice").objects


def unfolded(older: MultiFernet, row: Any, value: str) -> str:
    try:
        return older.decrypt(value.encode()).decode()
    except InvalidToken:
        raise KeysError(
            f"A second factor of person {row.user_id} does not open with KEDGE_SECRET_KEY. Migrate"
            " once with the secret key of before; if that is lost, take the factor away first:"
            " manage.py second_factors EMAIL. Nothing was changed."
        ) from None


def unerased(kept: str, use: str, keys: Any) -> str:
    try:
        return people.opened(kept, use=use, model=keys)
    except ErasedError:
        return ""


def settle(schema_editor: Any) -> None:
    """Judge foreign keys now: the tables change their form in this same transaction."""
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def django_keys() -> MultiFernet:
    """The keys of before: Django's secret key and its fallbacks."""
    texts = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(derived(text)) for text in texts])


def derived(key: str | bytes) -> bytes:
    made = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"kedge second factors")
    return base64.urlsafe_b64encode(made.derive(force_bytes(key)))


class Migration(migrations.Migration):
    dependencies = [
        ("mfa", "0003_authenticator_type_uniq"),
        ("tenants", "0007_row_level_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="PersonKey",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("wrapped", models.BinaryField(null=True)),
                ("wrapped_by", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField(db_default=Now())),
                ("erased_at", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["wrapped_by"], name="person_keys_by_ring_key")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("erased_at__isnull", True)),
                        fields=("person",),
                        name="one_live_key_per_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("erased_at__isnull", False), ("wrapped__isnull", True)),
                            models.Q(("erased_at__isnull", True), ("wrapped__isnull", False)),
                            _connector="OR",
                        ),
                        name="an_erased_person_key_is_gone",
                    ),
                ],
            },
        ),
        migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"), UNDO),
        migrations.AddField(
            model_name="notificationchoice",
            name="webhook",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.RunPython(seal, unseal),
        migrations.RemoveField(model_name="notificationchoice", name="webhook_url"),
    ]
