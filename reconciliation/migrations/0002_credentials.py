"""References to the credentials that tools act with; never a secret."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("reconciliation", "0001_ledger"),
        ("tenants", "0005_keys"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Credential",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tool", models.CharField(max_length=64)),
                ("acting_identity", models.CharField(max_length=200)),
                ("kept_at", models.CharField(max_length=300)),
                ("version", models.CharField(max_length=100)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("noted_at", models.DateTimeField(db_default=Now())),
                ("checked_at", models.DateTimeField(null=True)),
                ("result", models.CharField(blank=True, default="", max_length=12)),
                ("said", models.TextField(blank=True, default="")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "tool"), name="one_credential_per_tool_and_tenant"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kept_at__regex", r"^(env|file|vault):\S+$")),
                        name="a_credential_is_a_reference",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("checked_at__isnull", True), ("result", "")),
                            models.Q(
                                ("result__in", ("valid", "invalid", "unanswered")),
                                ("checked_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_checked_credential_says_when",
                    ),
                ],
            },
        ),
    ]
