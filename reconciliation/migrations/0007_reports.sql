CREATE TRIGGER column_map_is_append_only BEFORE UPDATE OR DELETE ON reconciliation_columnmap
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER report_is_append_only BEFORE UPDATE OR DELETE ON reconciliation_report
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER report_line_is_append_only BEFORE UPDATE OR DELETE ON reconciliation_reportline
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- A report speaks of the effects of its own tenant and tool, whoever writes the row.
CREATE FUNCTION kedge_guard_report_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.action_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM reconciliation_action AS action JOIN reconciliation_report AS report
            ON report.tenant_id = action.tenant_id AND report.tool = action.tool
         WHERE action.id = NEW.action_id AND report.id = NEW.report_id)
    THEN
        RAISE EXCEPTION 'line % of report %: of another tenant or tool', NEW.number, NEW.report_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER report_line_is_of_its_tenant BEFORE INSERT ON reconciliation_reportline
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_report_line();

SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY['reconciliation_columnmap', 'reconciliation_report',
    'reconciliation_reportdraft']::regclass[]) AS name;
SELECT kedge_close('reconciliation_reportline',
    'EXISTS (SELECT 1 FROM reconciliation_report WHERE id = report_id)');

-- split
DROP TRIGGER report_line_is_of_its_tenant ON reconciliation_reportline;
DROP FUNCTION kedge_guard_report_line();
DROP TRIGGER report_line_is_append_only ON reconciliation_reportline;
DROP TRIGGER report_is_append_only ON reconciliation_report;
DROP TRIGGER column_map_is_append_only ON reconciliation_columnmap;
