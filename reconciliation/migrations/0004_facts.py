"""The folders in which receipts wait, so that one whose machine is gone is asked for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reconciliation", "0002_credentials")]

    operations = [
        migrations.CreateModel(
            name="SpoolPlace",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("machine", models.CharField(max_length=255)),
                ("folder", models.TextField()),
                ("seen_at", models.DateTimeField()),
            ],
            options={"indexes": [models.Index(fields=["seen_at"], name="spools_by_last_seen")]},
        ),
    ]
