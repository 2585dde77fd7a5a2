"""Handing over to a colleague, and many questions answered in one form."""

import approvals.clock
import checkpoints.ids
import django.db.models.deletion
from pathlib import Path

from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix('.sql').read_text(encoding='utf-8')
UNDO = """
DROP TRIGGER batch_entry_is_append_only ON approvals_batchentry;
DROP TRIGGER batch_is_append_only ON approvals_batch;
DROP TRIGGER hand_over_is_never_deleted ON approvals_handover;
DROP TRIGGER hand_over_ends_once ON approvals_handover;
DROP FUNCTION approvals_guard_hand_over();
"""


class Migration(migrations.Migration):

    dependencies = [
        ("approvals", "0002_rules"),
        ('tenants', '0003_audit_is_append_only'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('verdict', models.CharField(max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('pairs', models.JSONField()),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='BatchEntry',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('code', models.CharField(blank=True, default='', max_length=64)),
                ('told', models.TextField()),
                ('told_at', models.DateTimeField(null=True)),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='approvals.batch')),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='approvals.approvalrequest')),
            ],
        ),
        migrations.CreateModel(
            name='HandOver',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('note', models.TextField(blank=True, default='')),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('taken_back_at', models.DateTimeField(null=True)),
                ('given_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('given_to', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='handovers', to='approvals.approvalrequest')),
            ],
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('verdict__in', ('approve', 'reject', 'send_back'))), name='batch_verdict_is_known'),
        ),
        migrations.AddConstraint(
            model_name='batchentry',
            constraint=models.UniqueConstraint(fields=('batch', 'request'), name='one_result_per_batch_and_request'),
        ),
        migrations.AddIndex(
            model_name='handover',
            index=models.Index(condition=models.Q(('taken_back_at__isnull', True)), fields=['given_to'], name='standing_hand_overs_to'),
        ),
        migrations.AddConstraint(
            model_name='handover',
            constraint=models.UniqueConstraint(condition=models.Q(('taken_back_at__isnull', True)), fields=('request', 'given_by', 'given_to'), name='one_standing_hand_over_between_two_people'),
        ),
        migrations.AddConstraint(
            model_name='handover',
            constraint=models.CheckConstraint(condition=models.Q(('given_by', models.F('given_to')), _negated=True), name='nobody_hands_over_to_themselves'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
