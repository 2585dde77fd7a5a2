"""Forks: where a run was forked from, and what it took over from others of its lineage."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
DROP TRIGGER fork_begins ON checkpoints_run;
DROP TRIGGER lineage_stays ON checkpoints_run;
DROP TRIGGER fork_is_whole ON checkpoints_run;
DROP TRIGGER fork_is_append_only ON checkpoints_fork;
DROP TRIGGER reuse_is_append_only ON checkpoints_reuse;
DROP FUNCTION kedge_fork_begins();
DROP FUNCTION kedge_lineage_stays();
DROP FUNCTION kedge_fork_is_whole();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0009_verdicts'),
        ('tenants', '0008_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Fork',
            fields=[
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='fork', serialize=False, to='checkpoints.run')),
                ('person', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='forks', to='checkpoints.run')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('seq', models.BigIntegerField()),
                ('checkpoint', models.BinaryField()),
                ('token', models.UUIDField()),
                ('reason', models.TextField()),
                ('again', models.JSONField(default=list)),
                ('made_by', models.CharField(max_length=200)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Reuse',
            fields=[
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('pk', models.CompositePrimaryKey('run_id', 'seq', blank=True, editable=False, primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField()),
                ('action_id', models.UUIDField(db_index=True)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('forked_from__isnull', False)), fields=['effect_scope'], name='forks_by_effect_scope'),
        ),
        migrations.AddConstraint(
            model_name='fork',
            constraint=models.UniqueConstraint(fields=('tenant', 'token'), name='one_fork_per_request'),
        ),
        migrations.AddConstraint(
            model_name='fork',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='a_fork_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='fork',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('run', models.F('source')), _negated=True), ('seq__gte', 0)), name='a_fork_has_another_source'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
