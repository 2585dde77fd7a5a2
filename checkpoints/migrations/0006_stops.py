"""Stops of a task type, a combo or a tool; the calls that were out; two people lift, paced."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
DROP TRIGGER stop_is_lifted_by_two_people ON checkpoints_stop;
DROP TRIGGER stop_is_never_deleted ON checkpoints_stop;
DROP TRIGGER call_out_is_append_only ON checkpoints_callout;
DROP TRIGGER lifting_ends_once ON checkpoints_lifting;
DROP TRIGGER lifting_is_never_deleted ON checkpoints_lifting;
DROP FUNCTION kedge_guard_stop();
DROP FUNCTION kedge_guard_lifting();
DROP FUNCTION kedge_who_may_everywhere(text, bigint[]);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("checkpoints", "0005_run_facts"),
        ("tenants", "0006_notifications"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CallOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt_id', models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name='Lifting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('why', models.TextField()),
                ('per_minute', models.IntegerField()),
                ('proposed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField()),
                ('ended', models.CharField(blank=True, default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_by', models.CharField(blank=True, default='', max_length=200)),
                ('paced_at', models.DateTimeField(null=True)),
                ('woken', models.IntegerField(default=0)),
                ('paced_to_the_end_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='stop',
            name='one_open_stop_per_scope_and_lock',
        ),
        migrations.AddField(
            model_name='stop',
            name='combo',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo'),
        ),
        migrations.AddField(
            model_name='stop',
            name='reconciled_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='stop',
            name='task_type',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AddField(
            model_name='stop',
            name='tool',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AddConstraint(
            model_name='stop',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('combo', None), ('task_type', '')), models.Q(('task_type', ''), ('tool', '')), models.Q(('combo', None), ('tool', '')), _connector='OR'), name='a_stop_is_for_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='stop',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('tenant', 'task_type', 'combo', 'tool', 'lock'), name='one_open_stop_per_scope_and_lock', nulls_distinct=False),
        ),
        migrations.AddField(
            model_name='callout',
            name='stop',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls_out', to='checkpoints.stop'),
        ),
        migrations.AddField(
            model_name='callout',
            name='tenant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='lifting',
            name='confirmed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='lifting',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='lifting',
            name='stop',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='liftings', to='checkpoints.stop'),
        ),
        migrations.AddConstraint(
            model_name='callout',
            constraint=models.UniqueConstraint(fields=('stop', 'attempt_id'), name='a_call_is_out_once_per_stop'),
        ),
        migrations.AddIndex(
            model_name='lifting',
            index=models.Index(condition=models.Q(('ended', 'confirmed'), ('paced_to_the_end_at', None)), fields=['stop'], name='liftings_under_way'),
        ),
        migrations.AddConstraint(
            model_name='lifting',
            constraint=models.UniqueConstraint(condition=models.Q(('ended', '')), fields=('stop',), name='one_open_lifting_per_stop'),
        ),
        migrations.AddConstraint(
            model_name='lifting',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at__isnull', True)), models.Q(('ended__in', ['confirmed', 'withdrawn', 'expired']), ('ended_at__isnull', False)), _connector='OR'), name='an_ended_lifting_says_how_and_when'),
        ),
        migrations.AddConstraint(
            model_name='lifting',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('confirmed_by__isnull', False), ('ended', 'confirmed'), ('paced_at__isnull', False)), models.Q(models.Q(('ended', 'confirmed'), _negated=True), ('confirmed_by__isnull', True), ('paced_at__isnull', True)), _connector='OR'), name='a_lifting_is_confirmed_by_a_person'),
        ),
        migrations.AddConstraint(
            model_name='lifting',
            constraint=models.CheckConstraint(condition=models.Q(('confirmed_by', models.F('proposed_by')), _negated=True), name='two_people_lift'),
        ),
        migrations.AddConstraint(
            model_name='lifting',
            constraint=models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_lifting_says_why'),
        ),
        migrations.AddConstraint(
            model_name='lifting',
            constraint=models.CheckConstraint(condition=models.Q(('per_minute__gte', 1), ('per_minute__lte', 6000)), name='a_lifting_is_paced'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
