"""Nothing is sent above the rung that its combo stands on."""

from pathlib import Path

from django.db import migrations

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0014_rungs'),
        ('reconciliation', '0008_behind'),
    ]

    operations = [migrations.RunSQL(RULES, UNDO)]
