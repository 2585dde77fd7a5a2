-- For each statement, not each row: an UPDATE that matches nothing is a mistake worth hearing of.
CREATE FUNCTION tenants_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit trail is only ever added to: % of % is refused for everybody.',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER audit_row_is_append_only BEFORE UPDATE OR DELETE ON tenants_auditrow
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();
CREATE TRIGGER audit_seal_is_append_only BEFORE UPDATE OR DELETE ON tenants_auditseal
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();

-- Whoever inserts an audit row, by verb or by hand, queues it. The sealer must not search by
-- "number above the last sealed": numbers become visible out of order.
CREATE FUNCTION tenants_queue_for_sealing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenants_auditunsealed (row_id) VALUES (NEW.audit_id);
    RETURN NULL;
END $$;

CREATE TRIGGER audit_row_waits_for_its_seal AFTER INSERT ON tenants_auditrow
    FOR EACH ROW EXECUTE FUNCTION tenants_queue_for_sealing();
INSERT INTO tenants_auditunsealed (row_id)
    SELECT row.audit_id FROM tenants_auditrow row
    WHERE NOT EXISTS (SELECT FROM tenants_auditseal seal WHERE seal.row_id = row.audit_id);
