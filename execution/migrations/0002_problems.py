"""Problems: what is wrong as one thing, which runs count to it, what people did about it."""

from pathlib import Path

import checkpoints.ids
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
DROP TRIGGER case_is_sorted ON checkpoints_case;
DROP TRIGGER run_in_trouble_is_sorted ON checkpoints_run;
DROP FUNCTION kedge_unsorted_case();
DROP FUNCTION kedge_unsorted_run();
DROP TRIGGER problem_change_is_of_its_tenant ON execution_problemchange;
DROP TRIGGER run_counts_to_a_problem_of_its_tenant ON execution_problemrun;
DROP FUNCTION kedge_guard_tenant_of_problem();
DROP TRIGGER problem_change_is_append_only ON execution_problemchange;
DROP TRIGGER problem_is_immutable ON execution_problem;
DROP FUNCTION kedge_keep_problem();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0007_commit'),
        ('execution', '0001_processes'),
        ('tenants', '0008_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Problem',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('fingerprint', models.CharField(max_length=64)),
                ('kind', models.CharField(max_length=48)),
                ('task_type', models.CharField(max_length=64)),
                ('node', models.CharField(blank=True, max_length=64)),
                ('tool', models.CharField(blank=True, max_length=64)),
                ('error', models.TextField(blank=True)),
                ('first_seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='ProblemChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=8)),
                ('until', models.DateTimeField(null=True)),
                ('rate', models.IntegerField(null=True)),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('combo', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('problem', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='execution.problem')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='ProblemRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=8)),
                ('action_id', models.UUIDField(null=True)),
                ('currency', models.CharField(blank=True, default='', max_length=8)),
                ('amount', models.BigIntegerField(default=0)),
                ('recipients', models.BigIntegerField(default=0)),
                ('head', models.BigIntegerField()),
                ('since', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('over_at', models.DateTimeField(null=True)),
                ('case', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='checkpoints.case')),
                ('combo', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('problem', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='execution.problem')),
                ('run', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='checkpoints.run')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Unsorted',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run_id', models.UUIDField()),
                ('tenant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.AddConstraint(
            model_name='problem',
            constraint=models.UniqueConstraint(fields=('tenant', 'fingerprint'), name='one_problem_per_fingerprint_and_tenant'),
        ),
        migrations.AddConstraint(
            model_name='problem',
            constraint=models.CheckConstraint(condition=models.Q(('fingerprint__regex', '^[0-9a-f]{64}$')), name='a_fingerprint_of_a_problem_is_a_digest'),
        ),
        migrations.AddIndex(
            model_name='problemchange',
            index=models.Index(fields=['tenant', 'problem', '-id'], name='problem_changes_newest'),
        ),
        migrations.AddConstraint(
            model_name='problemchange',
            constraint=models.CheckConstraint(condition=models.Q(('what__in', ('snoozed', 'woken', 'resolved', 'reopened')), models.Q(('reason', ''), _negated=True)), name='a_change_of_a_problem_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='problemchange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('combo__isnull', True), ('what', 'snoozed'), models.Q(('until__isnull', False), ('rate__isnull', False), _connector='OR'), models.Q(('rate__isnull', True), ('rate__gte', 0), _connector='OR')), models.Q(('combo__isnull', True), ('rate__isnull', True), ('until__isnull', True), ('what', 'woken')), models.Q(('combo__isnull', False), ('rate__isnull', True), ('until__isnull', True), ('what__in', ['resolved', 'reopened'])), _connector='OR'), name='a_change_of_a_problem_says_for_what'),
        ),
        migrations.AddIndex(
            model_name='problemrun',
            index=models.Index(condition=models.Q(('over_at', None)), fields=['tenant', 'problem', 'combo'], include=('what', 'since', 'decided_at', 'currency', 'amount', 'recipients'), name='problems_counted'),
        ),
        migrations.AddIndex(
            model_name='problemrun',
            index=models.Index(condition=models.Q(('over_at', None)), fields=['problem', '-id'], name='runs_of_a_problem'),
        ),
        migrations.AddIndex(
            model_name='problemrun',
            index=models.Index(fields=['problem', 'since'], name='problem_runs_over_time'),
        ),
        migrations.AddIndex(
            model_name='problemrun',
            index=models.Index(condition=models.Q(('over_at', None), ('what__in', ['unknown', 'retry', 'failure'])), fields=['what', 'since'], name='problem_runs_that_may_be_over'),
        ),
        migrations.AddConstraint(
            model_name='problemrun',
            constraint=models.CheckConstraint(condition=models.Q(('what__in', ('case', 'unknown', 'retry', 'failure'))), name='why_a_run_counts_is_known'),
        ),
        migrations.AddConstraint(
            model_name='problemrun',
            constraint=models.UniqueConstraint(condition=models.Q(('over_at', None)), fields=('run',), name='a_run_counts_to_one_problem_at_a_time'),
        ),
        migrations.AddIndex(
            model_name='unsorted',
            index=models.Index(fields=['tenant', 'id'], name='unsorted_by_tenant'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
