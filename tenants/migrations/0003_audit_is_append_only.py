"""Audit rows and seals are only ever added, and every new row waits for the sealer."""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

UNDO = """
DROP TRIGGER audit_row_waits_for_its_seal ON tenants_auditrow;
DROP TRIGGER audit_seal_is_append_only ON tenants_auditseal;
DROP TRIGGER audit_row_is_append_only ON tenants_auditrow;
DROP FUNCTION tenants_queue_for_sealing();
DROP FUNCTION tenants_refuse_change();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0002_refusals_and_links'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditUnsealed',
            fields=[
                ('row', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, serialize=False, to='tenants.auditrow')),
            ],
        ),
        migrations.RunSQL(Path(__file__).with_suffix('.sql').read_text(encoding='utf-8'), UNDO),
    ]
