"""Saved plans: exact runs or effects, reviewed before and carried out after; people's orders."""

from pathlib import Path

import checkpoints.ids
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
DROP TRIGGER a_verdict_is_a_persons ON checkpoints_verdict;
DROP FUNCTION execution_guard_verdict();
DROP TRIGGER plan_begins_at_the_beginning ON execution_plan;
DROP TRIGGER plan_moves_by_rule ON execution_plan;
DROP TRIGGER plan_that_ended_lets_go ON execution_plan;
DROP TRIGGER plan_is_never_deleted ON execution_plan;
DROP TRIGGER plan_item_moves_by_rule ON execution_planitem;
DROP TRIGGER new_plan_items_are_counted ON execution_planitem;
DROP TRIGGER moved_plan_items_are_counted ON execution_planitem;
DROP TRIGGER plan_item_is_never_deleted ON execution_planitem;
DROP TRIGGER plan_order_is_append_only ON execution_planorder;
DROP FUNCTION execution_guard_new_plan();
DROP FUNCTION execution_guard_plan();
DROP FUNCTION execution_let_runs_of_plan_go();
DROP FUNCTION execution_guard_planitem();
DROP FUNCTION execution_count_new_items();
DROP FUNCTION execution_count_moved_items();
DROP POLICY kedge_tenant ON execution_plan;
DROP POLICY kedge_tenant ON execution_planitem;
DROP POLICY kedge_tenant ON execution_planorder;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0007_commit'),
        ('execution', '0002_problems'),
        ('tenants', '0008_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Plan',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('kind', models.CharField(max_length=32)),
                ('about', models.TextField()),
                ('why', models.TextField()),
                ('terms', models.JSONField(default=dict)),
                ('per_minute', models.IntegerField(default=600)),
                ('drafted_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('state', models.CharField(default='computing', max_length=12)),
                ('digest', models.CharField(blank=True, default='', max_length=64)),
                ('needs_second', models.TextField(blank=True, default='')),
                ('foreseen', models.JSONField(default=dict)),
                ('ready_at', models.DateTimeField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('paced_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('looked_at', models.DateTimeField(null=True)),
                ('stopped_because', models.TextField(blank=True, default='')),
                ('total', models.IntegerField(default=0)),
                ('waiting', models.IntegerField(default=0)),
                ('planned', models.IntegerField(default=0)),
                ('left_out', models.IntegerField(default=0)),
                ('done', models.IntegerField(default=0)),
                ('skipped', models.IntegerField(default=0)),
                ('failed', models.IntegerField(default=0)),
                ('unproven', models.IntegerField(default=0)),
                ('drafted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('seconded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('started_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='PlanItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.IntegerField()),
                ('action_id', models.UUIDField(null=True)),
                ('case_id', models.UUIDField(null=True)),
                ('terms', models.JSONField(default=dict)),
                ('state', models.CharField(default='waiting', max_length=12)),
                ('holds', models.BooleanField(default=False)),
                ('code', models.CharField(blank=True, default='', max_length=64)),
                ('sentence', models.TextField(blank=True, default='')),
                ('was', models.JSONField(default=dict)),
                ('said', models.TextField(blank=True, default='')),
                ('tries', models.IntegerField(default=0)),
                ('carried_at', models.DateTimeField(null=True)),
                ('proven_at', models.DateTimeField(null=True)),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='execution.plan')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
            ],
        ),
        migrations.CreateModel(
            name='PlanOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('said', models.CharField(max_length=8)),
                ('digest', models.CharField(max_length=64)),
                ('why', models.TextField(blank=True, default='')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='execution.plan')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='plan',
            index=models.Index(fields=['tenant', '-number'], name='plans_by_tenant_newest'),
        ),
        migrations.AddIndex(
            model_name='plan',
            index=models.Index(condition=models.Q(('state__in', ['computing', 'started'])), fields=['state'], name='plans_with_work'),
        ),
        migrations.AddIndex(
            model_name='plan',
            index=models.Index(condition=models.Q(('unproven__gt', 0)), fields=['id'], name='plans_to_be_proven'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.UniqueConstraint(fields=('tenant', 'number'), name='plans_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_plan_says_why'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('computing', 'ready', 'started', 'stopped', 'finished', 'discarded'))), name='plan_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(('per_minute__gte', 1), ('per_minute__lte', 6000)), name='a_plan_has_a_rate'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(('total', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('waiting'), '+', models.F('planned')), '+', models.F('left_out')), '+', models.F('done')), '+', models.F('skipped')), '+', models.F('failed')), '+', models.F('unproven')))), name='the_totals_of_a_plan_add_up'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest', ''), ('state', 'computing')), ('state', 'discarded'), models.Q(('waiting', 0), models.Q(('digest', ''), _negated=True)), _connector='OR'), name='a_plan_to_be_reviewed_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'finished'), _negated=True), ('planned', 0), _connector='OR'), name='a_finished_plan_has_nothing_left_to_do'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('state__in', ('finished', 'discarded'))), models.Q(models.Q(('state__in', ('finished', 'discarded')), _negated=True), ('ended_at__isnull', True)), _connector='OR'), name='a_plan_that_ended_says_when'),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(('started_by__isnull', True), ('seconded_by__isnull', True), models.Q(('started_by', models.F('seconded_by')), _negated=True), _connector='OR'), name='who_seconds_a_plan_does_not_start_it'),
        ),
        migrations.AddIndex(
            model_name='planitem',
            index=models.Index(fields=['plan', 'state', 'position'], name='plan_items_by_state'),
        ),
        migrations.AddIndex(
            model_name='planitem',
            index=models.Index(fields=['run', '-id'], name='plan_items_of_a_run'),
        ),
        migrations.AddIndex(
            model_name='planitem',
            index=models.Index(condition=models.Q(('state', 'planned')), fields=['case_id'], name='planned_items_by_case'),
        ),
        migrations.AddConstraint(
            model_name='planitem',
            constraint=models.UniqueConstraint(fields=('plan', 'position'), name='items_of_a_plan_in_order'),
        ),
        migrations.AddConstraint(
            model_name='planitem',
            constraint=models.UniqueConstraint(fields=('plan', 'run', 'action_id'), name='an_effect_is_in_a_plan_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='planitem',
            constraint=models.UniqueConstraint(condition=models.Q(('holds', True)), fields=('run',), name='a_run_is_in_one_unfinished_plan'),
        ),
        migrations.AddConstraint(
            model_name='planitem',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('waiting', 'planned', 'left_out', 'done', 'skipped', 'failed', 'unproven'))), name='plan_item_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='planitem',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('carried_at__isnull', False), ('state__in', ('done', 'unproven', 'skipped', 'failed'))), models.Q(models.Q(('state__in', ('done', 'unproven', 'skipped', 'failed')), _negated=True), ('carried_at__isnull', True)), _connector='OR'), name='an_item_says_when_it_was_carried_out'),
        ),
        migrations.AddConstraint(
            model_name='planorder',
            constraint=models.CheckConstraint(condition=models.Q(('said__in', ('start', 'go_on', 'stop', 'second', 'discard'))), name='what_is_said_of_a_plan_is_known'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
