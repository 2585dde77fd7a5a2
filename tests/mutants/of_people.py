"""Checks of who may see and do what, and of the trail they leave."""

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "page_right",
        "a page asks for its right",
        "tenants/scope.py",
        "if not rights.may(tenant_id, permission):",
        "if False:",
        "tests/tenants/test_scope.py::test_a_person_without_the_right_is_denied",
    ),
    Mutant(
        "page_of_a_run",
        "a run's pages are its tenant's",
        "execution/pages/runhead.py",
        ".get(pk=run_id, tenant=tenant)",
        ".get(pk=run_id)",
        "tests/execution/pages/test_doors.py::test_a_run_of_another_tenant_does_not_exist",
    ),
    Mutant(
        "search_of_a_tenant",
        "a search finds runs of its own tenant",
        "execution/pages/finding.py",
        "Run.objects.filter(tenant=tenant).defer",
        "Run.objects.defer",
        "tests/execution/pages/test_overview_views.py::test_nothing_of_another_tenant_is_found",
    ),
    Mutant(
        "wall_policy",
        "PostgreSQL shows rows of the tenants that were said (policy)",
        "tenants/migrations/0007_row_level_security.sql",
        "CREATE POLICY kedge_tenant ON %s USING (%s)', closed, rule);",
        "CREATE POLICY kedge_tenant ON %s USING (true)', closed);",
        "tests/wall/test_rows.py::test_a_query_without_a_tenant_shows_nothing",
    ),
    Mutant(
        "wall_runs",
        "runs are behind the second wall (policy)",
        "tenants/migrations/0007_row_level_security.sql",
        "    'checkpoints_run', 'reconciliation_action',",
        "    'reconciliation_action',",
        "tests/wall/test_rows.py::test_a_query_without_a_tenant_shows_those_that_are_shown",
    ),
    Mutant(
        "audit_append_only",
        "the audit trail is only ever added to (trigger)",
        "tenants/migrations/0003_audit_is_append_only.sql",
        "CREATE TRIGGER audit_row_is_append_only BEFORE UPDATE OR DELETE ON tenants_auditrow\n    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();\n",
        "",
        "tests/tenants/test_audit.py::test_the_database_refuses_to_change_the_trail",
    ),
    Mutant(
        "wall_cleared",
        "what a request was shown is not shown to the next",
        "tenants/wall.py",
        '        execute(SET, {"tenants": "", "known": ""})\n',
        "        pass\n",
        "tests/wall/test_requests.py::test_after_a_request_that_broke_nothing_is_shown",
    ),
    Mutant(
        "migrate_newer",
        "an older release changes no newer tables",
        "config/management/commands/migrate.py",
        "                _refuse_if_newer()\n",
        "",
        "tests/config/test_migrate.py::test_code_that_is_older_than_the_tables_migrates_nothing",
    ),
)
