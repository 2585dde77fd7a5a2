-- What a model said, and who saw it, are facts; what it says is about the hash of its own request.
CREATE FUNCTION approvals_guard_second_look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM approvals_approvalrequest AS request
                    WHERE request.id = NEW.request_id AND request.tenant_id = NEW.tenant_id
                      AND request.action_hash = NEW.action_hash) THEN
        RAISE EXCEPTION 'second look %: another hash than that of its request', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER second_look_is_of_its_request BEFORE INSERT ON approvals_secondlook
    FOR EACH ROW EXECUTE FUNCTION approvals_guard_second_look();
CREATE TRIGGER second_look_is_append_only BEFORE UPDATE OR DELETE ON approvals_secondlook
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
CREATE TRIGGER seen_remarks_is_append_only BEFORE UPDATE OR DELETE ON approvals_seenremarks
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();

SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY['approvals_secondlook', 'approvals_secondlookturn']::regclass[]) AS name;
SELECT kedge_close('approvals_seenremarks', 'EXISTS (
    SELECT 1 FROM approvals_secondlook AS its WHERE its.id = approvals_seenremarks.look_id)');
