"""What interrupted a run is kept whole: an error's own words are longer than 48 characters."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0003_runs_that_go_first")]

    operations = [
        migrations.AlterField(model_name="recovery", name="why", field=models.TextField()),
    ]
