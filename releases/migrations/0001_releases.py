"""Releases, their moves, and what people said of them."""

from pathlib import Path

import checkpoints.ids
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('checkpoints', '0011_routes'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('task_type', models.CharField(max_length=64)),
                ('policy', models.BinaryField()),
                ('policy_digest', models.CharField(max_length=64)),
                ('why', models.TextField()),
                ('begun_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('place', models.CharField(default='new', max_length=16)),
                ('is_frozen', models.BooleanField(default=False)),
                ('share', models.IntegerField(default=0)),
                ('share_of_critical', models.IntegerField(default=0)),
                ('salt', models.CharField(max_length=64)),
                ('last_move', models.IntegerField(default=0)),
                ('moved_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('begun_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('stable', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Move',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('kind', models.CharField(max_length=16)),
                ('place', models.CharField(max_length=16)),
                ('share', models.IntegerField(default=0)),
                ('share_of_critical', models.IntegerField(default=0)),
                ('shown', models.BinaryField()),
                ('digest', models.CharField(max_length=64)),
                ('beside', models.JSONField(default=dict)),
                ('why', models.TextField()),
                ('needs_second', models.BooleanField(default=False)),
                ('actor', models.CharField(max_length=200)),
                ('proposed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField()),
                ('ended', models.CharField(blank=True, default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='moves', to='releases.release')),
            ],
        ),
        migrations.CreateModel(
            name='MoveOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('said', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=64)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('move', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='releases.move')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('move', 'said'), name='a_move_is_ordered_and_seconded_once'), models.CheckConstraint(condition=models.Q(('said__in', ['make', 'second'])), name='an_order_says_make_or_second')],
            },
        ),
        migrations.AddIndex(
            model_name='release',
            index=models.Index(fields=['tenant', 'task_type', '-number'], name='releases_newest'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.UniqueConstraint(fields=('tenant', 'number'), name='releases_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.UniqueConstraint(condition=models.Q(('place__in', ('new', 'shadow', 'canary'))), fields=('tenant', 'task_type'), name='one_release_under_way_per_task_type'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('place__in', ('new', 'shadow', 'canary', 'stable', 'stopped'))), name='a_release_stands_somewhere'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_release_says_why'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('candidate', models.F('stable')), _negated=True), name='a_release_changes_the_combo'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('place', 'canary'), ('share__gte', 1)), models.Q(models.Q(('place', 'canary'), _negated=True), ('share', 0), ('share_of_critical', 0)), _connector='OR'), name='a_canary_has_a_share_and_nothing_else_has'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('share_of_critical__gte', 0), ('share__gte', models.F('share_of_critical')), ('share__lte', 10000)), name='of_a_release_critical_runs_go_last'),
        ),
        migrations.AddConstraint(
            model_name='move',
            constraint=models.UniqueConstraint(fields=('release', 'number'), name='moves_of_a_release_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='move',
            constraint=models.UniqueConstraint(condition=models.Q(('ended', '')), fields=('release',), name='one_open_move_per_release'),
        ),
        migrations.AddConstraint(
            model_name='move',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('begin', 'widen', 'promote', 'stop', 'roll_back', 'lift'))), name='a_move_is_of_a_known_kind'),
        ),
        migrations.AddConstraint(
            model_name='move',
            constraint=models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_move_says_why'),
        ),
        migrations.AddConstraint(
            model_name='move',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at__isnull', True)), models.Q(('ended__in', ['made', 'withdrawn', 'expired']), ('ended_at__isnull', False)), _connector='OR'), name='an_ended_move_says_how_and_when'),
        ),
        migrations.AddConstraint(
            model_name='move',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('stop', 'roll_back')), models.Q(('proposed_by__isnull', False), models.Q(models.Q(('ended', 'made'), _negated=True), ('made_by__isnull', False), _connector='OR')), _connector='OR'), name='people_move_a_release_on'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
