"""Signed heads of the audit chains, indexes for the audit page, and rights that cannot change unseen."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

UNDO = """
DROP TRIGGER activity_is_audited ON tenants_user;
DROP TRIGGER leaving_a_group_is_audited ON tenants_user_groups;
DROP TRIGGER joining_a_group_is_audited ON tenants_user_groups;
DROP TRIGGER right_of_a_group_taken_is_audited ON tenants_tenantgroupobjectpermission;
DROP TRIGGER right_of_a_group_given_is_audited ON tenants_tenantgroupobjectpermission;
DROP TRIGGER right_of_a_group_changed_is_refused ON tenants_tenantgroupobjectpermission;
DROP TRIGGER right_taken_is_audited ON tenants_tenantuserobjectpermission;
DROP TRIGGER right_given_is_audited ON tenants_tenantuserobjectpermission;
DROP TRIGGER right_changed_is_refused ON tenants_tenantuserobjectpermission;
DROP FUNCTION tenants_audit_activity();
DROP FUNCTION tenants_audit_groups();
DROP FUNCTION tenants_audit_rights();
DROP FUNCTION tenants_refuse_other_right();
DROP FUNCTION tenants_is_told();
DROP TRIGGER audit_head_is_not_emptied ON tenants_audithead;
DROP TRIGGER audit_seal_is_not_emptied ON tenants_auditseal;
DROP TRIGGER audit_row_is_not_emptied ON tenants_auditrow;
DROP TRIGGER audit_head_is_append_only ON tenants_audithead;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_audit_is_append_only")]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tenant", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant")),
                ("position", models.BigIntegerField()),
                ("digest", models.BinaryField()),
                ("at", models.DateTimeField()),
                ("key", models.CharField(max_length=16)),
                ("signature", models.CharField(max_length=88)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("tenant", "position"), name="a_place_in_a_chain_is_signed_once", nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name="AuditUnsigned",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tenant", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant")),
                ("rows", models.IntegerField()),
                ("since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("tenant",), name="a_chain_waits_for_its_signature_once", nulls_distinct=False)],
            },
        ),
        migrations.AddField(
            model_name="auditseal",
            name="content",
            field=models.BinaryField(db_default=b"", default=b""),
        ),
        migrations.AddIndex(
            model_name="auditrow",
            index=models.Index(fields=["tenant", "-at", "-audit_id"], name="audit_by_time"),
        ),
        migrations.AddIndex(
            model_name="auditrow",
            index=models.Index(fields=["tenant", "subject", "-at", "-audit_id"], name="audit_by_subject"),
        ),
        migrations.AddIndex(
            model_name="auditrow",
            index=models.Index(fields=["tenant", "actor_id", "-at", "-audit_id"], name="audit_by_actor"),
        ),
        migrations.AddIndex(
            model_name="auditrow",
            index=models.Index(fields=["tenant", "verb", "-at", "-audit_id"], name="audit_by_verb"),
        ),
        migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"), UNDO),
    ]
