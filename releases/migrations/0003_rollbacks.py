"""Rollbacks: the plan, its runs, its board of effects, and what people said of them."""

from pathlib import Path

import checkpoints.ids
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")
# What a move was judged by before there were rollbacks.
FIRST = Path(__file__).with_name("0001_releases.sql").read_text(encoding="utf-8")
GUARD = FIRST[FIRST.index("CREATE FUNCTION releases_guard_move()") :].partition("END $$;")[0]
BEFORE = GUARD.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION") + "END $$;"


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0012_combo_parts'),
        ('execution', '0006_alerts'),
        ('reconciliation', '0008_behind'),
        ('releases', '0002_looks'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Rollback',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('shown', models.BinaryField()),
                ('digest', models.CharField(max_length=64)),
                ('choices', models.JSONField(default=dict)),
                ('beside', models.JSONField(default=dict)),
                ('why', models.TextField()),
                ('needs_second', models.BooleanField(default=False)),
                ('actor', models.CharField(max_length=200)),
                ('proposed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField()),
                ('phase', models.CharField(default='planned', max_length=16)),
                ('phase_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('started_at', models.DateTimeField(null=True)),
                ('paused_at', models.DateTimeField(null=True)),
                ('waits_for', models.TextField(blank=True, default='')),
                ('ended', models.CharField(blank=True, default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
                ('effects_stop', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.stop')),
                ('from_combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('paused_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rollbacks', to='releases.release')),
                ('started_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('starts_stop', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.stop')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('to_combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
            ],
        ),
        migrations.CreateModel(
            name='OutstandingEffect',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=16)),
                ('signed_off', models.CharField(blank=True, default='', max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('signed_at', models.DateTimeField(null=True)),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reconciliation.action')),
                ('signed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('rollback', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='effects', to='releases.rollback')),
            ],
        ),
        migrations.CreateModel(
            name='RollbackOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('said', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=64)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('rollback', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='releases.rollback')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='RollbackRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('holds', models.BooleanField(default=True)),
                ('kind', models.CharField(max_length=16)),
                ('foreseen', models.TextField(blank=True, default='')),
                ('choice', models.CharField(blank=True, default='', max_length=16)),
                ('said', models.TextField(blank=True, default='')),
                ('ended', models.CharField(blank=True, default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
                ('chosen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('fork', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
                ('rollback', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='releases.rollback')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='RollbackChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('choice', models.CharField(max_length=16)),
                ('why', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('of', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='choices', to='releases.rollbackrun')),
            ],
        ),
        migrations.CreateModel(
            name='EffectAcceptance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('effect', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='acceptance', to='releases.outstandingeffect')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='an_acceptance_has_a_reason')],
            },
        ),
        migrations.AddIndex(
            model_name='rollback',
            index=models.Index(condition=models.Q(('ended', '')), fields=['phase_at'], name='rollbacks_unfinished'),
        ),
        migrations.AddIndex(
            model_name='rollback',
            index=models.Index(fields=['tenant', '-number'], name='rollbacks_newest'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.UniqueConstraint(fields=('tenant', 'number'), name='rollbacks_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.UniqueConstraint(condition=models.Q(('ended', '')), fields=('release',), name='one_unfinished_rollback_per_release'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.CheckConstraint(condition=models.Q(('phase__in', ('planned', 'stopping', 'holding', 'restoring', 'reconciling', 'releasing', 'closing', 'closed'))), name='a_rollback_is_in_a_known_phase'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_rollback_says_why'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at__isnull', True), models.Q(('phase', 'closed'), _negated=True)), models.Q(('ended', 'closed'), ('ended_at__isnull', False), ('phase', 'closed')), models.Q(('ended__in', ['withdrawn', 'expired']), ('ended_at__isnull', False), ('phase', 'planned')), _connector='OR'), name='a_rollback_that_began_is_closed_and_never_given_up'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.CheckConstraint(condition=models.Q(('phase', 'planned'), ('started_at__isnull', False), _connector='OR'), name='a_rollback_under_way_says_since_when'),
        ),
        migrations.AddConstraint(
            model_name='rollback',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('paused_at__isnull', True), ('paused_by__isnull', True)), models.Q(('paused_at__isnull', False), ('paused_by__isnull', False)), _connector='OR'), name='a_person_pauses_a_rollback'),
        ),
        migrations.AddIndex(
            model_name='outstandingeffect',
            index=models.Index(condition=models.Q(('signed_off', '')), fields=['rollback', 'id'], name='rollback_effects_open'),
        ),
        migrations.AddConstraint(
            model_name='outstandingeffect',
            constraint=models.UniqueConstraint(fields=('rollback', 'action'), name='an_effect_is_on_the_board_once'),
        ),
        migrations.AddConstraint(
            model_name='outstandingeffect',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('unknown', 'attempting', 'happened', 'orphaned', 'approved', 'proposed', 'compensated', 'refused'))), name='an_effect_stands_somewhere'),
        ),
        migrations.AddConstraint(
            model_name='outstandingeffect',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('signed_at__isnull', True), ('signed_off', '')), models.Q(('signed_at__isnull', False), ('signed_off__in', ('reconciled', 'compensated', 'accepted'))), _connector='OR'), name='an_effect_signed_off_says_how_and_when'),
        ),
        migrations.AddConstraint(
            model_name='outstandingeffect',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('signed_off', 'accepted'), _negated=True), models.Q(('signed_by__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='a_named_person_accepts_an_effect_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='rollbackorder',
            constraint=models.UniqueConstraint(condition=models.Q(('said__in', ['start', 'second'])), fields=('rollback', 'said'), name='a_rollback_is_ordered_and_seconded_once'),
        ),
        migrations.AddConstraint(
            model_name='rollbackorder',
            constraint=models.CheckConstraint(condition=models.Q(('said__in', ('start', 'second', 'pause', 'go_on', 'withdraw'))), name='what_is_said_of_a_rollback_is_known'),
        ),
        migrations.AddIndex(
            model_name='rollbackrun',
            index=models.Index(fields=['rollback', 'kind', 'id'], name='rollback_runs_by_kind'),
        ),
        migrations.AddIndex(
            model_name='rollbackrun',
            index=models.Index(condition=models.Q(('ended', '')), fields=['rollback', 'id'], name='rollback_runs_undecided'),
        ),
        migrations.AddConstraint(
            model_name='rollbackrun',
            constraint=models.UniqueConstraint(fields=('rollback', 'run'), name='a_run_is_rolled_back_once'),
        ),
        migrations.AddConstraint(
            model_name='rollbackrun',
            constraint=models.UniqueConstraint(condition=models.Q(('holds', True)), fields=('run',), name='a_run_is_in_one_unfinished_rollback'),
        ),
        migrations.AddConstraint(
            model_name='rollbackrun',
            constraint=models.CheckConstraint(condition=models.Q(('choice__in', ['', 'go_on', 'fork', 'cancel', 'wait']), ('kind__in', ('continues', 'migrates', 'pinned', 'in_flight', 'on_hold', 'forward_only'))), name='what_is_chosen_for_a_run_is_known'),
        ),
        migrations.AddConstraint(
            model_name='rollbackrun',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at__isnull', True)), models.Q(('ended__in', ('went_on', 'forked', 'cancelled', 'waits', 'ended_itself')), ('ended_at__isnull', False)), _connector='OR'), name='what_became_of_a_run_says_when'),
        ),
        migrations.AddConstraint(
            model_name='rollbackchoice',
            constraint=models.CheckConstraint(condition=models.Q(('choice__in', ('go_on', 'fork', 'cancel', 'wait')), models.Q(('why', ''), _negated=True)), name='a_choice_is_known_and_says_why'),
        ),
        migrations.RunSQL(RULES, UNDO + BEFORE),
    ]
