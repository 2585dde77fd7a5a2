"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_evidence")]

    operations: list[object] = []
