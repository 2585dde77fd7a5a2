"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("approvals", "0004_drift")]

    operations: list[object] = []
