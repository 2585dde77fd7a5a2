"""A person's word that was taken back does not bind the ledger; what a tool told of still does."""

from pathlib import Path

from django.db import migrations

RULES, BEFORE = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ("checkpoints", "0009_verdicts"),
        ("reconciliation", "0005_doors"),
    ]

    operations = [migrations.RunSQL(RULES, BEFORE)]
