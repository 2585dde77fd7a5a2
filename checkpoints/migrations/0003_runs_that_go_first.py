"""The index by which a woken or interrupted run is found before those that stand in line."""

from django.db import migrations, models
from django.db.models import Q

IN_LINE = ["started", "yielded"]


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0002_riders")]

    operations = [
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                fields=["tenant", "due_at"],
                condition=Q(status__in=["queued", "waiting"], due_at__isnull=False)
                & ~Q(reason__in=IN_LINE),
                name="runs_due_first",
            ),
        ),
    ]
