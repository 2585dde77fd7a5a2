"""The combo that proposed an action also absorbs it: no run is moved in between."""

from pathlib import Path

from django.db import migrations

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0016_repins'),
        ('reconciliation', '0009_rungs'),
    ]

    operations = [migrations.RunSQL(RULES, UNDO)]
