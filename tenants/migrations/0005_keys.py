"""Data keys of tenants and people, each wrapped by the key ring."""

import uuid
from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

UNDO = """
DROP TRIGGER data_key_is_never_deleted ON tenants_datakey;
DROP TRIGGER erased_data_key_stays_erased ON tenants_datakey;
DROP FUNCTION tenants_keys_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_evidence")]

    operations = [
        migrations.CreateModel(
            name="DataKey",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("person", models.BinaryField(default=b"")),
                ("wrapped", models.BinaryField(null=True)),
                ("wrapped_by", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField(db_default=Now())),
                ("erased_at", models.DateTimeField(null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["wrapped_by"], name="data_keys_by_ring_key")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("erased_at__isnull", True)),
                        fields=("tenant", "person"),
                        name="one_live_data_key_per_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("erased_at__isnull", False), ("wrapped__isnull", True)),
                            models.Q(("erased_at__isnull", True), ("wrapped__isnull", False)),
                            _connector="OR",
                        ),
                        name="an_erased_key_is_gone",
                    ),
                ],
            },
        ),
        migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"), UNDO),
    ]
