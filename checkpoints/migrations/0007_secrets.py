"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0006_stops")]

    operations: list[object] = []
