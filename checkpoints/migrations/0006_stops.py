"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0005_run_facts")]

    operations: list[object] = []
