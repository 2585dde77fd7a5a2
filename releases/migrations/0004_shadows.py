"""What twins did beside their live runs, and nobody is asked for a shadow."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0009_edits'),
        ('checkpoints', '0015_twins'),
        ('releases', '0003_rollbacks'),
        ('tenants', '0009_installations'),
    ]

    operations = [
        migrations.CreateModel(
            name='Compared',
            fields=[
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='compared', serialize=False, to='checkpoints.run')),
                ('kind', models.CharField(max_length=16)),
                ('effects', models.JSONField(default=list)),
                ('same_path', models.BooleanField()),
                ('tokens', models.IntegerField(null=True)),
                ('live_tokens', models.IntegerField(null=True)),
                ('ms', models.BigIntegerField(null=True)),
                ('live_ms', models.BigIntegerField(null=True)),
                ('ended', models.CharField(max_length=16)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('live', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
                ('release', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='compared', to='releases.release')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'kind', '-run'], name='compared_by_kind')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ('different', 'extra', 'missing', 'trouble', 'moved', 'words', 'same'))), name='a_comparison_is_of_a_known_kind'), models.CheckConstraint(condition=models.Q(('ended__in', ['at_end', 'at_effect', 'in_trouble'])), name='a_comparison_says_how_its_twin_ended')],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
