"""States written by hand for held runs, and what a second person decided about them."""

import approvals.clock
import checkpoints.ids
import django.db.models.deletion
import uuid
from pathlib import Path

from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix('.sql').read_text(encoding='utf-8')
UNDO = """
DROP POLICY kedge_tenant ON approvals_editdecision;
DROP POLICY kedge_tenant ON approvals_editrequest;
DROP TRIGGER edit_decision_is_append_only ON approvals_editdecision;
DROP TRIGGER edit_is_decided_by_a_second_person ON approvals_editdecision;
DROP TRIGGER edit_is_never_deleted ON approvals_editrequest;
DROP TRIGGER edit_keeps_what_was_shown ON approvals_editrequest;
DROP FUNCTION approvals_guard_edit_decision();
DROP FUNCTION approvals_guard_edit();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0008_second_look'),
        ('checkpoints', '0007_commit'),
        ('tenants', '0007_row_level_security'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='EditRequest',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=16)),
                ('edit_hash', models.CharField(max_length=64, unique=True)),
                ('bound', models.BinaryField()),
                ('nonce', models.CharField(max_length=64, unique=True)),
                ('parent_seq', models.BigIntegerField()),
                ('next_node', models.CharField(max_length=64)),
                ('schema', models.IntegerField()),
                ('content', models.BinaryField()),
                ('diff', models.BinaryField()),
                ('reason', models.TextField()),
                ('on_behalf_of', models.CharField(blank=True, default='', max_length=200)),
                ('asked_at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('expires_at', models.DateTimeField()),
                ('state', models.CharField(default='open', max_length=16)),
                ('closed_at', models.DateTimeField(null=True)),
                ('closed_by', models.CharField(blank=True, default='', max_length=200)),
                ('closed_because', models.TextField(blank=True, default='')),
                ('used_seq', models.BigIntegerField(null=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='edits', to='checkpoints.case')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.run')),
                ('starter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='EditDecision',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('verdict', models.CharField(max_length=16)),
                ('reason', models.TextField(blank=True, default='')),
                ('posted_hash', models.CharField(max_length=64)),
                ('proved_by', models.CharField(blank=True, default='', max_length=16)),
                ('proved_at', models.DateTimeField(null=True)),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('request', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='approvals.editrequest')),
            ],
        ),
        migrations.AddIndex(
            model_name='editrequest',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['tenant', 'id'], name='open_edits_by_tenant'),
        ),
        migrations.AddIndex(
            model_name='editrequest',
            index=models.Index(condition=models.Q(('state__in', ('open', 'approved'))), fields=['expires_at'], name='live_edits_by_expiry'),
        ),
        migrations.AddIndex(
            model_name='editrequest',
            index=models.Index(fields=['case', '-id'], name='edits_by_case_newest'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('open', 'approved', 'rejected', 'sent_back', 'expired', 'withdrawn', 'used'))), name='edit_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('edit_state', 'migrate_by_hand'))), name='edit_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='an_edit_is_open_iff_it_is_not_closed'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'used'), ('used_seq__isnull', False)), models.Q(models.Q(('state', 'used'), _negated=True), ('used_seq__isnull', True)), _connector='OR'), name='an_edit_is_used_iff_it_became_a_checkpoint'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('asked_at'))), name='an_edit_expires_after_it_is_asked'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='an_edit_says_why'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ('open', 'approved'))), fields=('run',), name='one_live_edit_per_run'),
        ),
        migrations.AddConstraint(
            model_name='editrequest',
            constraint=models.UniqueConstraint(condition=models.Q(('used_seq__isnull', False)), fields=('run', 'used_seq'), name='one_edit_per_checkpoint'),
        ),
        migrations.AddConstraint(
            model_name='editdecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('proved_at', None), ('proved_by', '')), models.Q(models.Q(('proved_by', ''), _negated=True), ('proved_at__isnull', False)), _connector='OR'), name='a_proof_of_an_edit_has_a_method_and_a_time'),
        ),
        migrations.AddConstraint(
            model_name='editdecision',
            constraint=models.CheckConstraint(condition=models.Q(('verdict__in', ('approve', 'reject', 'send_back'))), name='edit_verdict_is_known'),
        ),
        migrations.AddConstraint(
            model_name='editdecision',
            constraint=models.CheckConstraint(condition=models.Q(('verdict', 'approve'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='only_an_approval_of_an_edit_needs_no_reason'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
