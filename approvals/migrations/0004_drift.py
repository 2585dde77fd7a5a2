"""Reserved."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("approvals", "0003_deciding")]

    operations: list[object] = []
