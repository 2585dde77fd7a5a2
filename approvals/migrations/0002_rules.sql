-- By which rule an approval passed without a person is as final as when it was given.
CREATE OR REPLACE FUNCTION approvals_guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW IS DISTINCT FROM OLD AND (
        OLD.state <> 'unused' OR NEW.request_id <> OLD.request_id
        OR NEW.granted_at <> OLD.granted_at OR NEW.rule <> OLD.rule
    ) THEN
        RAISE EXCEPTION 'approval %: % is final', OLD.request_id, OLD.state
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER tool_class_is_append_only BEFORE UPDATE OR DELETE ON approvals_toolclass
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();

-- For the sums of rules: what a tool did at a tenant lately, and what may still happen (NULL).
CREATE INDEX actions_by_tool_and_end
    ON reconciliation_action (tenant_id, tool, settled_at) WHERE mode = 'live';
