"""Shadow runs beside live ones, and the dry runs at which their effects stop."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0014_rungs'),
        ('tenants', '0009_installations'),
    ]

    operations = [
        migrations.CreateModel(
            name='ShadowDryRun',
            fields=[
                ('action_id', models.UUIDField(primary_key=True, serialize=False)),
                ('mode', models.CharField(default='shadow', max_length=8)),
                ('reversibility', models.CharField(blank=True, max_length=16)),
                ('diff', models.BinaryField()),
                ('media', models.CharField(max_length=64)),
                ('diff_digest', models.CharField(max_length=64)),
                ('resources', models.JSONField(default=dict)),
                ('before', models.BooleanField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='dry_runs', to='checkpoints.run')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('mode', 'shadow')), name='only_a_shadow_keeps_its_dry_runs')],
            },
        ),
        migrations.CreateModel(
            name='Twin',
            fields=[
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='twin', serialize=False, to='checkpoints.run')),
                ('series', models.UUIDField()),
                ('dies_at', models.BigIntegerField(null=True)),
                ('mode', models.CharField(default='shadow', max_length=8)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('twin_of', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='twins', to='checkpoints.run')),
            ],
            options={
                'indexes': [models.Index(fields=['series', '-run'], name='twins_of_a_series')],
                'constraints': [models.UniqueConstraint(fields=('series', 'twin_of'), name='a_run_has_one_twin_per_series'), models.CheckConstraint(condition=models.Q(('mode', 'shadow'), models.Q(('run', models.F('twin_of')), _negated=True)), name='a_twin_is_a_shadow_of_another_run'), models.CheckConstraint(condition=models.Q(('dies_at__isnull', True), ('dies_at__gte', 1), _connector='OR'), name='a_drill_strikes_after_a_checkpoint')],
            },
        ),
        migrations.RemoveIndex(model_name='run', name='runs_by_tenant_and_status'),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['tenant', 'status', '-id'], include=('mode',), name='runs_by_tenant_and_status'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
