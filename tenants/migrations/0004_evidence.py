"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_audit_is_append_only")]

    operations: list[object] = []
