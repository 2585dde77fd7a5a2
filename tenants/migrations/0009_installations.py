"""The installation knows which PostgreSQL it is on, and another one is not it."""

from pathlib import Path

from django.db import migrations

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0008_keys'),
    ]

    operations = [migrations.RunSQL(RULES, UNDO)]
