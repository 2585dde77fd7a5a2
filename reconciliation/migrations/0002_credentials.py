"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("reconciliation", "0001_ledger")]

    operations: list[object] = []
