"""Which combo new runs get at a tenant, and which runs a canary takes first."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0010_forks'),
        ('tenants', '0009_installations'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='critical',
            field=models.BooleanField(db_default=True),
        ),
        migrations.CreateModel(
            name='Route',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task_type', models.CharField(max_length=64)),
                ('share', models.IntegerField(default=0)),
                ('share_of_critical', models.IntegerField(default=0)),
                ('salt', models.CharField(blank=True, default='', max_length=64)),
                ('moved_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('candidate', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('stable', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'task_type'), name='one_route_per_tenant_and_task_type'), models.CheckConstraint(condition=models.Q(('share_of_critical__gte', 0), ('share__gte', models.F('share_of_critical')), ('share__lte', 10000)), name='critical_runs_go_last'), models.CheckConstraint(condition=models.Q(models.Q(('candidate__isnull', False), models.Q(('salt', ''), _negated=True)), ('share', 0), _connector='OR'), name='a_share_is_of_a_candidate_and_its_salt'), models.CheckConstraint(condition=models.Q(('candidate', models.F('stable')), _negated=True), name='a_candidate_is_not_the_stable_combo')],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
