-- The second wall: PostgreSQL shows the web process only the rows of the tenants that it has said
-- it works for. The owner of the tables passes; `manage.py roles` lets the workers' user pass.
-- Not set, or empty: NULL, which equals nothing, so no rows.
CREATE FUNCTION kedge_ids(setting text) RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT string_to_array(nullif(current_setting(setting, true), ''), ',')::bigint[]
$$;

-- For migrations: closes a table but for rows of which `rule` is true. A rule that asks for ids does
-- so in a sub-select, which is evaluated once for a statement and not for each row.
CREATE FUNCTION kedge_close(closed regclass, rule text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', closed);
    EXECUTE format('CREATE POLICY kedge_tenant ON %s USING (%s)', closed, rule);
END $$;

-- What a person may do, with the owner's eyes: this is asked before any tenant can be shown.
CREATE FUNCTION kedge_rights_of(person bigint) RETURNS TABLE (tenant bigint, slug text, codename text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT tenant.id, tenant.slug, permission.codename
      FROM (SELECT content_object_id AS at, permission_id
              FROM tenants_tenantuserobjectpermission WHERE user_id = $1
            UNION
            SELECT shared.content_object_id, shared.permission_id
              FROM tenants_user_groups AS member
              JOIN tenants_tenantgroupobjectpermission AS shared USING (group_id)
             WHERE member.user_id = $1) AS given
      JOIN tenants_tenant AS tenant ON tenant.id = given.at
      JOIN auth_permission AS permission ON permission.id = given.permission_id
      JOIN django_content_type AS kind ON kind.id = permission.content_type_id
     WHERE kind.app_label = 'tenants' AND kind.model = 'tenant'
       -- The object in hand may have been read before the person was deactivated.
       AND EXISTS (SELECT 1 FROM tenants_user WHERE id = $1 AND is_active)
$$;

-- What the System page says of all tenants together: numbers and times, nothing of anybody's.
CREATE FUNCTION kedge_load(counted_to bigint)
RETURNS TABLE (due bigint, oldest_due timestamptz, leased bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT (SELECT count(*) FROM (SELECT 1 FROM checkpoints_run
              WHERE status IN ('queued', 'waiting') AND due_at <= clock_timestamp()
              LIMIT $1) AS found),
           (SELECT due_at FROM checkpoints_run
              WHERE status IN ('queued', 'waiting') AND due_at <= clock_timestamp()
              ORDER BY due_at LIMIT 1),
           (SELECT count(*) FROM (SELECT 1 FROM checkpoints_run
              WHERE status = 'running' LIMIT $1) AS found)
$$;

CREATE FUNCTION kedge_notifications(since timestamptz, counted_to bigint)
RETURNS TABLE (given_up bigint, tried_again bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT (SELECT count(*) FROM (SELECT 1 FROM tenants_notification
              WHERE state = 'failed' AND made_at > $1 LIMIT $2) AS found),
           (SELECT count(*) FROM (SELECT 1 FROM tenants_notification
              WHERE state = 'waiting' AND tries > 0 AND not_before > clock_timestamp()
              LIMIT $2) AS found)
$$;

-- Tables that say themselves whose a row is.
SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY[
    'approvals_approvalrequest', 'approvals_batch', 'approvals_freshness', 'approvals_toolclass',
    'checkpoints_blob', 'checkpoints_blobreference', 'checkpoints_callout', 'checkpoints_case',
    'checkpoints_run', 'reconciliation_action', 'reconciliation_credential', 'tenants_datakey'
  ]::regclass[]) AS name;

-- Those in which a row of no tenant is the installation's: a stop of everything, a sign-in.
SELECT kedge_close(name, 'tenant_id IS NULL
    OR tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY[
    'checkpoints_stop', 'tenants_audithead', 'tenants_auditrow', 'tenants_auditseal',
    'tenants_auditunsigned', 'tenants_notification', 'tenants_refusalcount'
  ]::regclass[]) AS name;

-- Which tenants there are and who may what there: also where a page shows one of the person's only.
SELECT kedge_close('tenants_tenant', 'id = ANY ((SELECT kedge_ids(''kedge.known''))::bigint[])');
SELECT kedge_close(name, 'content_object_id = ANY ((SELECT kedge_ids(''kedge.known''))::bigint[])')
  FROM unnest(ARRAY[
    'tenants_tenantuserobjectpermission', 'tenants_tenantgroupobjectpermission'
  ]::regclass[]) AS name;

-- The rest belong to what they hang on, whose own rule the inner query obeys.
SELECT kedge_close(child::regclass, format(
    'EXISTS (SELECT 1 FROM %s AS its WHERE its.%I = %s.%I)', parent, key, child, pointer))
  FROM (VALUES
    ('approvals_approval', 'request_id', 'approvals_approvalrequest', 'id'),
    ('approvals_batchentry', 'batch_id', 'approvals_batch', 'id'),
    ('approvals_decision', 'request_id', 'approvals_approvalrequest', 'id'),
    ('approvals_handover', 'request_id', 'approvals_approvalrequest', 'id'),
    ('approvals_openedpart', 'request_id', 'approvals_approvalrequest', 'id'),
    ('approvals_takenback', 'decision_id', 'approvals_decision', 'id'),
    ('checkpoints_checkpoint', 'run_id', 'checkpoints_run', 'id'),
    ('checkpoints_checkpoint_any', 'run_id', 'checkpoints_run', 'id'),
    ('checkpoints_event', 'run_id', 'checkpoints_run', 'id'),
    ('checkpoints_event_any', 'run_id', 'checkpoints_run', 'id'),
    ('checkpoints_lifting', 'stop_id', 'checkpoints_stop', 'id'),
    ('checkpoints_recovery', 'run_id', 'checkpoints_run', 'id'),
    ('checkpoints_verdict', 'case_id', 'checkpoints_case', 'id'),
    ('reconciliation_attempt', 'action_id', 'reconciliation_action', 'id'),
    ('reconciliation_lookup', 'attempt_id', 'reconciliation_attempt', 'id'),
    ('reconciliation_receipt', 'action_id', 'reconciliation_action', 'id'),
    ('tenants_auditunsealed', 'row_id', 'tenants_auditrow', 'audit_id')
  ) AS hangs (child, pointer, parent, key);
