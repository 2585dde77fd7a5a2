"""What the newest dry run of a waiting request found."""

import django.db.models.deletion
from django.db import migrations, models

# Questions that wait already are looked at like those that are asked from now on.
BEGIN = """
INSERT INTO approvals_freshness
    (request_id, tenant_id, tool, verdict, seen_at, differences, error, failures, due_at)
SELECT id, tenant_id, tool, 'equal', asked_at, '[]', '', 0, asked_at
  FROM approvals_approvalrequest WHERE state = 'open';
"""


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0003_deciding'),
        ('tenants', '0003_audit_is_append_only'),
    ]

    operations = [
        migrations.CreateModel(
            name='Freshness',
            fields=[
                ('request', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='freshness', serialize=False, to='approvals.approvalrequest')),
                ('tool', models.CharField(max_length=64)),
                ('verdict', models.CharField(default='equal', max_length=8)),
                ('seen_at', models.DateTimeField()),
                ('differences', models.JSONField(default=list)),
                ('files', models.JSONField(null=True)),
                ('error', models.TextField(blank=True, default='')),
                ('failures', models.IntegerField(default=0)),
                ('due_at', models.DateTimeField(null=True)),
                ('claim', models.UUIDField(null=True)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.AddIndex(
            model_name='freshness',
            index=models.Index(condition=models.Q(('due_at__isnull', False)), fields=['tool', 'due_at'], name='looks_due_by_tool'),
        ),
        migrations.AddConstraint(
            model_name='freshness',
            constraint=models.CheckConstraint(condition=models.Q(('verdict__in', ('equal', 'moved'))), name='freshness_verdict_is_known'),
        ),
        migrations.AddConstraint(
            model_name='freshness',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('differences', []), ('verdict', 'equal')), models.Q(('verdict', 'moved'), models.Q(('differences', []), _negated=True)), _connector='OR'), name='what_moved_is_named'),
        ),
        migrations.AddConstraint(
            model_name='freshness',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('claim__isnull', True), ('claimed_until__isnull', True)), models.Q(('claim__isnull', False), ('claimed_until__isnull', False)), _connector='OR'), name='a_look_is_claimed_until_some_time'),
        ),
        migrations.RunSQL(BEGIN, migrations.RunSQL.noop),
    ]
