"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("approvals", "0001_permission")]

    operations: list[object] = []
