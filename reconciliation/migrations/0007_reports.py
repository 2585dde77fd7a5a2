"""What providers reported, how it was matched, and how their columns are read: added once."""

from pathlib import Path

import uuid

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('reconciliation', '0006_verdicts'),
        ('tenants', '0008_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ColumnMap',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=64)),
                ('columns', models.JSONField()),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=64)),
                ('name', models.CharField(max_length=200)),
                ('content', models.BinaryField()),
                ('since', models.DateTimeField()),
                ('until', models.DateTimeField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'db_table': 'reconciliation_reportdraft',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'by'), name='one_draft_of_a_report_each')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('tool', models.CharField(max_length=64)),
                ('name', models.CharField(max_length=200)),
                ('media', models.CharField(max_length=32)),
                ('content', models.BinaryField()),
                ('size', models.IntegerField()),
                ('digest', models.BinaryField()),
                ('since', models.DateTimeField()),
                ('until', models.DateTimeField()),
                ('lines', models.IntegerField()),
                ('matched', models.IntegerField()),
                ('different', models.IntegerField()),
                ('unknown_to_us', models.IntegerField()),
                ('unreadable', models.IntegerField()),
                ('absent', models.IntegerField()),
                ('sums', models.JSONField(default=dict)),
                ('taken_in_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('mapped', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reconciliation.columnmap')),
                ('taken_in_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='ReportLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.IntegerField()),
                ('kind', models.CharField(max_length=16)),
                ('amount', models.BigIntegerField(null=True)),
                ('currency', models.CharField(blank=True, max_length=8)),
                ('at', models.DateTimeField(null=True)),
                ('said', models.TextField()),
                ('answers', models.BooleanField(default=False)),
                ('action', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reconciliation.action')),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='found', to='reconciliation.report')),
            ],
        ),
        migrations.AddIndex(
            model_name='columnmap',
            index=models.Index(fields=['tenant', 'tool', '-id'], name='column_maps_newest'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.UniqueConstraint(fields=('tenant', 'number'), name='reports_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.UniqueConstraint(fields=('tenant', 'tool', 'digest', 'mapped', 'since', 'until'), name='one_report_per_file_and_reading'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(('lines', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('matched'), '+', models.F('different')), '+', models.F('unknown_to_us')), '+', models.F('unreadable')))), name='every_line_of_a_report_is_of_one_kind'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(('since__lt', models.F('until'))), name='a_report_covers_time'),
        ),
        migrations.AddIndex(
            model_name='reportline',
            index=models.Index(fields=['report', 'kind', 'id'], name='report_lines_by_kind'),
        ),
        migrations.AddIndex(
            model_name='reportline',
            index=models.Index(fields=['action'], name='report_lines_of_an_action'),
        ),
        migrations.AddConstraint(
            model_name='reportline',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('matched', 'different', 'absent', 'unknown_to_us', 'unreadable'))), name='report_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='reportline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('action__isnull', False), ('kind__in', ('matched', 'different', 'absent'))), models.Q(('action__isnull', True), ('kind__in', ['unknown_to_us', 'unreadable'])), _connector='OR'), name='a_line_names_its_effect_by_kind'),
        ),
        migrations.AddConstraint(
            model_name='reportline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'absent'), ('number', 0)), models.Q(models.Q(('kind', 'absent'), _negated=True), ('number__gt', 0)), _connector='OR'), name='only_what_is_absent_stands_on_no_line'),
        ),
        migrations.AddConstraint(
            model_name='reportline',
            constraint=models.CheckConstraint(condition=models.Q(('answers', False), ('kind', 'matched'), _connector='OR'), name='only_a_match_answers'),
        ),
        migrations.AddConstraint(
            model_name='reportline',
            constraint=models.UniqueConstraint(condition=models.Q(('number__gt', 0)), fields=('report', 'number'), name='one_kind_per_line'),
        ),
        migrations.AddConstraint(
            model_name='reportline',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ['matched', 'absent'])), fields=('report', 'action'), name='an_effect_is_matched_once'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
