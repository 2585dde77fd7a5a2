"""Rules: the class of each tool at a tenant, and approvals that a rule gave."""

import approvals.clock
import django.db.models.deletion
from pathlib import Path

from django.db import migrations, models

RULES = Path(__file__).with_suffix('.sql').read_text(encoding='utf-8')
UNDO = """
DROP INDEX actions_by_tool_and_end;
DROP TRIGGER tool_class_is_append_only ON approvals_toolclass;
CREATE OR REPLACE FUNCTION approvals_guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW IS DISTINCT FROM OLD AND (
        OLD.state <> 'unused' OR NEW.request_id <> OLD.request_id
        OR NEW.granted_at <> OLD.granted_at
    ) THEN
        RAISE EXCEPTION 'approval %: % is final', OLD.request_id, OLD.state
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0001_permission'),
        # Only for the index that the sums of rules read.
        ('reconciliation', '0001_ledger'),
        ('tenants', '0003_audit_is_append_only'),
    ]

    operations = [
        migrations.AddField(
            model_name='approval',
            name='rule',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.CreateModel(
            name='ToolClass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=64)),
                ('reversibility', models.CharField(max_length=16)),
                ('why', models.TextField()),
                ('set_by', models.CharField(max_length=200)),
                ('set_at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'indexes': [models.Index(fields=['tenant', 'tool', '-id'], name='tool_classes_newest_first')],
                'constraints': [models.CheckConstraint(condition=models.Q(('reversibility__in', ('reversible', 'compensable', 'irreversible'))), name='reversibility_is_known'), models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_tool_class_has_a_reason')],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
