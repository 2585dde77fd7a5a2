"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("approvals", "0002_rules")]

    operations: list[object] = []
