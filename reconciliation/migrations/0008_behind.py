"""That record and world went apart, the lines the record lacks, and how far both were compared."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0009_edits'),
        ('checkpoints', '0010_forks'),
        ('reconciliation', '0007_reports'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Divergence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('codes', models.JSONField(default=list)),
                ('seen', models.JSONField(default=dict)),
                ('noticed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('noticed_by', models.CharField(max_length=200)),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_by', models.CharField(blank=True, default='', max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name='JournalMark',
            fields=[
                ('only', models.BooleanField(default=True, primary_key=True, serialize=False)),
                ('place', models.TextField(blank=True, default='')),
                ('seq', models.BigIntegerField(default=0)),
                ('digest', models.CharField(blank=True, default='', max_length=64)),
                ('at', models.TextField(blank=True, default='')),
                ('receipt', models.BigIntegerField(default=0)),
                ('compared_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='MissingLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt_id', models.UUIDField(unique=True)),
                ('run_id', models.UUIDField()),
                ('action_id', models.UUIDField()),
                ('tool', models.CharField(max_length=64)),
                ('target', models.TextField()),
                ('sent_at', models.DateTimeField()),
                ('line', models.JSONField()),
                ('lacks', models.CharField(max_length=8)),
                ('noticed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('found', models.CharField(blank=True, default='', max_length=16)),
                ('said', models.TextField(blank=True, default='')),
                ('asked_at', models.DateTimeField(null=True)),
                ('boot_id', models.CharField(blank=True, default='', max_length=36)),
                ('boot_seconds', models.FloatField(null=True)),
                ('became', models.CharField(blank=True, default='', max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('settled_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='attempt',
            name='from_journal',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='approval',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='approvals.approval'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.CheckConstraint(condition=models.Q(('approval__isnull', False), ('from_journal', True), _connector='OR'), name='an_attempt_has_its_approval_unless_the_record_lost_it'),
        ),
        migrations.AddField(
            model_name='divergence',
            name='stop',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.stop'),
        ),
        migrations.AddConstraint(
            model_name='journalmark',
            constraint=models.CheckConstraint(condition=models.Q(('only', True)), name='there_is_one_journal'),
        ),
        migrations.AddField(
            model_name='missingline',
            name='divergence',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='reconciliation.divergence'),
        ),
        migrations.AddField(
            model_name='missingline',
            name='settled_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='missingline',
            name='tenant',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddConstraint(
            model_name='divergence',
            constraint=models.UniqueConstraint(models.Value(1), condition=models.Q(('ended_at', None)), name='one_divergence_is_open'),
        ),
        migrations.AddConstraint(
            model_name='divergence',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', '')), models.Q(('ended_at__isnull', False), models.Q(('ended_by', ''), _negated=True)), _connector='OR'), name='an_ended_divergence_names_who_ended_it'),
        ),
        migrations.AddIndex(
            model_name='missingline',
            index=models.Index(fields=['divergence', 'became', 'id'], name='missing_lines_in_order'),
        ),
        migrations.AddIndex(
            model_name='missingline',
            index=models.Index(fields=['tenant', '-id'], name='missing_lines_by_tenant'),
        ),
        migrations.AddIndex(
            model_name='missingline',
            index=models.Index(fields=['run_id'], name='missing_lines_by_run'),
        ),
        migrations.AddConstraint(
            model_name='missingline',
            constraint=models.CheckConstraint(condition=models.Q(('became__in', ('', 'happened', 'did_not_happen', 'nobody_knows', 'written_off')), ('found__in', ('', 'there', 'not_there', 'voided', 'unanswered', 'cannot_be_asked')), ('lacks__in', ('attempt', 'action', 'run'))), name='what_became_of_a_missing_line_is_known'),
        ),
        migrations.AddConstraint(
            model_name='missingline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('became', ''), ('reason', ''), ('settled_at', None), ('settled_by', None)), models.Q(models.Q(('became', ''), _negated=True), ('settled_at__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='a_settled_line_says_when_and_why'),
        ),
        migrations.AddConstraint(
            model_name='missingline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lacks', 'run'), _negated=True), ('became', ''), ('settled_by__isnull', False), _connector='OR'), name='a_run_that_is_lost_is_settled_by_a_person'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
