"""What a model noticed about what people are shown, and who saw its remarks."""

import approvals.clock
import checkpoints.ids
import django.db.models.deletion
from pathlib import Path

from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix('.sql').read_text(encoding='utf-8')
UNDO = """
DROP POLICY kedge_tenant ON approvals_seenremarks;
DROP TRIGGER second_look_is_append_only ON approvals_secondlook;
DROP TRIGGER seen_remarks_is_append_only ON approvals_seenremarks;
DROP TRIGGER second_look_is_of_its_request ON approvals_secondlook;
DROP FUNCTION approvals_guard_second_look();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0007_coverage'),
        ('tenants', '0007_row_level_security'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SecondLook',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('action_hash', models.CharField(max_length=64)),
                ('shown_digest', models.CharField(max_length=64)),
                ('outcome', models.CharField(max_length=16)),
                ('remarks', models.BinaryField(default=b'[]')),
                ('remark_count', models.IntegerField(default=0)),
                ('why', models.TextField(blank=True, default='')),
                ('model', models.CharField(max_length=300)),
                ('prompt_digest', models.CharField(max_length=64)),
                ('combo_digest', models.CharField(max_length=64)),
                ('prompt_tokens', models.IntegerField(default=0)),
                ('completion_tokens', models.IntegerField(default=0)),
                ('left_out', models.JSONField(default=dict)),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('request', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='second_look', to='approvals.approvalrequest')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('outcome__in', ('nothing_noticed', 'look_here', 'unusable', 'failed'))), name='second_look_outcome_is_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'look_here'), ('remark_count__gte', 1), ('remark_count__lte', 8)), models.Q(models.Q(('outcome', 'look_here'), _negated=True), ('remark_count', 0)), _connector='OR'), name='a_second_look_has_remarks_iff_it_says_look_here'),
                    models.CheckConstraint(condition=models.Q(models.Q(('outcome__in', ['unusable', 'failed']), models.Q(('why', ''), _negated=True)), models.Q(('outcome__in', ['nothing_noticed', 'look_here']), ('why', '')), _connector='OR'), name='a_second_look_without_an_answer_says_why'),
                    models.CheckConstraint(condition=models.Q(('model', ''), _negated=True), name='a_second_look_names_its_model'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SecondLookTurn',
            fields=[
                ('request', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='second_look_turn', serialize=False, to='approvals.approvalrequest')),
                ('due_at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp(), null=True)),
                ('begun_at', models.DateTimeField(null=True)),
                ('tries', models.IntegerField(default=0)),
                ('error', models.TextField(blank=True, default='')),
                ('claim', models.UUIDField(null=True)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('due_at__isnull', False)), fields=['tenant', 'due_at'], name='second_looks_due_by_tenant'),
                    models.Index(condition=models.Q(('begun_at__isnull', False)), fields=['tenant', 'begun_at'], name='second_looks_begun_by_tenant'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('claim__isnull', True), ('claimed_until__isnull', True)), models.Q(('claim__isnull', False), ('claimed_until__isnull', False)), _connector='OR'), name='a_second_look_is_claimed_until_some_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SeenRemarks',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('look', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seen', to='approvals.secondlook')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('look', 'user'), name='remarks_are_seen_once_per_person'),
                ],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
