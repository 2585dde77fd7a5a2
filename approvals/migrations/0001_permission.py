"""The tables of permission, and what the database refuses to do with them."""

import approvals.clock
import checkpoints.ids
import django.db.models.deletion
import uuid
from pathlib import Path

from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix('.sql').read_text(encoding='utf-8')
UNDO = """
DROP TRIGGER taking_back_is_append_only ON approvals_takenback;
DROP TRIGGER decision_is_append_only ON approvals_decision;
DROP TRIGGER approval_is_never_deleted ON approvals_approval;
DROP TRIGGER approval_ends_once ON approvals_approval;
DROP TRIGGER request_is_never_deleted ON approvals_approvalrequest;
DROP TRIGGER request_keeps_what_was_shown ON approvals_approvalrequest;
DROP FUNCTION approvals_refuse_change();
DROP FUNCTION approvals_guard_approval();
DROP FUNCTION approvals_guard_request();
ALTER TABLE approvals_approvalrequest DROP CONSTRAINT action_hash_is_of_what_is_bound;
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('checkpoints', '0001_record'),
        ('tenants', '0003_audit_is_append_only'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ApprovalRequest',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('action_id', models.UUIDField()),
                ('revision', models.IntegerField()),
                ('action_hash', models.CharField(max_length=64, unique=True)),
                ('bound', models.BinaryField()),
                ('nonce', models.CharField(max_length=64, unique=True)),
                ('diff', models.BinaryField()),
                ('diff_media', models.CharField(max_length=64)),
                ('parameters', models.BinaryField()),
                ('tool', models.CharField(max_length=64)),
                ('describe', models.TextField()),
                ('target', models.TextField()),
                ('summary', models.JSONField(default=list)),
                ('magnitude', models.JSONField(default=dict)),
                ('requirement', models.JSONField()),
                ('on_behalf_of', models.CharField(blank=True, default='', max_length=200)),
                ('asked_at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('expires_at', models.DateTimeField()),
                ('state', models.CharField(default='open', max_length=16)),
                ('closed_at', models.DateTimeField(null=True)),
                ('closed_by', models.CharField(blank=True, default='', max_length=200)),
                ('closed_because', models.TextField(blank=True, default='')),
                ('replaces', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='approvals.approvalrequest')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
                ('starter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('verdict', models.CharField(max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('posted_hash', models.CharField(max_length=64)),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='approvals.approvalrequest')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='TakenBack',
            fields=[
                ('decision', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='taken_back', serialize=False, to='approvals.decision')),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
            ],
        ),
        migrations.CreateModel(
            name='Approval',
            fields=[
                ('request', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='approval', serialize=False, to='approvals.approvalrequest')),
                ('state', models.CharField(default='unused', max_length=16)),
                ('granted_at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('used_at', models.DateTimeField(null=True)),
                ('used_by_attempt', models.UUIDField(null=True, unique=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ('unused', 'used', 'expired', 'withdrawn'))), name='approval_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'used'), ('used_at__isnull', False), ('used_by_attempt__isnull', False)), models.Q(models.Q(('state', 'used'), _negated=True), ('used_at__isnull', True), ('used_by_attempt__isnull', True)), _connector='OR'), name='an_approval_is_used_iff_an_attempt_used_it')],
            },
        ),
        migrations.AddIndex(
            model_name='approvalrequest',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['tenant', 'id'], name='open_requests_by_tenant'),
        ),
        migrations.AddIndex(
            model_name='approvalrequest',
            index=models.Index(condition=models.Q(('state__in', ('open', 'approved'))), fields=['expires_at'], name='live_requests_by_expiry'),
        ),
        migrations.AddIndex(
            model_name='approvalrequest',
            index=models.Index(fields=['run', '-id'], name='requests_by_run_newest'),
        ),
        migrations.AddConstraint(
            model_name='approvalrequest',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('open', 'approved', 'rejected', 'sent_back', 'expired', 'withdrawn', 'used'))), name='request_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='approvalrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='a_request_is_open_iff_it_is_not_closed'),
        ),
        migrations.AddConstraint(
            model_name='approvalrequest',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ('open', 'approved'))), fields=('action_id',), name='one_live_request_per_action'),
        ),
        migrations.AddConstraint(
            model_name='approvalrequest',
            constraint=models.UniqueConstraint(fields=('action_id', 'revision'), name='one_request_per_action_and_revision'),
        ),
        migrations.AddConstraint(
            model_name='approvalrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('replaces__isnull', True), ('revision', 1)), models.Q(('replaces__isnull', False), ('revision__gt', 1)), _connector='OR'), name='a_later_request_names_the_one_it_replaces'),
        ),
        migrations.AddConstraint(
            model_name='approvalrequest',
            constraint=models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('asked_at'))), name='a_request_expires_after_it_is_asked'),
        ),
        migrations.AddConstraint(
            model_name='takenback',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='taking_back_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.UniqueConstraint(fields=('request', 'user'), name='one_decision_per_person_and_request'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(('verdict__in', ('approve', 'reject', 'send_back'))), name='verdict_is_known'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(('verdict', 'approve'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='only_an_approval_needs_no_reason'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
