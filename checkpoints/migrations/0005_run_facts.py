"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0004_why_a_run_was_interrupted")]

    operations: list[object] = []
