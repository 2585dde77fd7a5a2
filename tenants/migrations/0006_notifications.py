"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0005_keys")]

    operations: list[object] = []
