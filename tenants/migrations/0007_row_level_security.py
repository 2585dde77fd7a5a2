"""The second wall around tenants: row-level security on every table with rows of one."""

from pathlib import Path

from django.db import migrations

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
# The policies that `manage.py roles` made go with the rest.
UNDO = """
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT polname, polrelid::regclass AS closed FROM pg_policy
                 WHERE polname IN ('kedge_tenant', 'kedge_worker') LOOP
        EXECUTE format('DROP POLICY %I ON %s', made.polname, made.closed);
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', made.closed);
    END LOOP;
END $$;
DROP FUNCTION kedge_close(regclass, text);
DROP FUNCTION kedge_ids(text);
DROP FUNCTION kedge_rights_of(bigint);
DROP FUNCTION kedge_load(bigint);
DROP FUNCTION kedge_notifications(timestamptz, bigint);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0006_proof"),
        ("checkpoints", "0006_stops"),
        ("execution", "0001_processes"),
        ("reconciliation", "0002_credentials"),
        ("tenants", "0006_notifications"),
    ]

    operations = [migrations.RunSQL(RULES, UNDO)]
