-- The stored hash is of the stored bytes, and those name the stored state and what was shown of it:
-- the same computation as approvals/edits/hashing.py.
ALTER TABLE approvals_editrequest ADD CONSTRAINT edit_hash_is_of_what_is_bound CHECK (
    edit_hash = encode(sha256('kedge:state-edit:v1\000'::bytea || bound), 'hex')
), ADD CONSTRAINT an_edit_is_bound_to_its_state_and_diff CHECK (
    (convert_from(bound, 'UTF8')::json ->> 'state') = encode(sha256(content), 'hex')
    AND (convert_from(bound, 'UTF8')::json ->> 'diff_digest') = encode(sha256(diff), 'hex')
);

-- What was shown stays what was shown. An edit is asked and allowed for a held run without an effect
-- in flight only, allowed by another person than its author and the run's starter, and used once, in
-- time, by the statement that makes it a checkpoint.
CREATE FUNCTION approvals_guard_edit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown approvals_editrequest := NEW;
    broken text := '';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        shown.state := OLD.state;
        shown.closed_at := OLD.closed_at;
        shown.closed_by := OLD.closed_by;
        shown.closed_because := OLD.closed_because;
        shown.used_seq := OLD.used_seq;
        IF shown IS DISTINCT FROM OLD THEN
            broken := 'an_edit_keeps_what_was_shown';
        ELSIF NEW.state <> OLD.state AND NOT (
            OLD.state = 'open'
                AND NEW.state IN ('approved', 'rejected', 'sent_back', 'expired', 'withdrawn')
            OR OLD.state = 'approved' AND NEW.state IN ('used', 'expired', 'withdrawn')
        ) THEN
            broken := 'an_edit_ends_once';
        ELSIF NEW.state <> OLD.state AND NEW.state IN ('approved', 'used') THEN
            IF NEW.expires_at <= clock_timestamp() THEN
                broken := 'an_edit_is_allowed_and_used_in_time';
            ELSIF NOT EXISTS (
                SELECT 1 FROM approvals_editdecision
                 WHERE request_id = NEW.id AND verdict = 'approve' AND posted_hash = NEW.edit_hash)
            THEN
                broken := 'an_edit_is_allowed_by_a_second_person';
            END IF;
        END IF;
    ELSIF NEW.state <> 'open' THEN
        broken := 'an_edit_begins_open';
    ELSIF NOT EXISTS (
        SELECT 1 FROM tenants_user WHERE id = NEW.author_id AND kind = 'person' AND is_active)
    THEN
        broken := 'an_edit_is_written_by_a_person';
    ELSIF NOT EXISTS (
        SELECT 1 FROM checkpoints_case
         WHERE id = NEW.case_id AND run_id = NEW.run_id AND tenant_id = NEW.tenant_id
           AND decided_at IS NULL AND closed_at IS NULL)
    THEN
        broken := 'an_edit_is_of_an_open_case';
    END IF;
    IF broken = '' AND (TG_OP = 'INSERT' OR NEW.state <> OLD.state AND NEW.state = 'approved')
        AND NOT EXISTS (
            SELECT 1 FROM checkpoints_run
             WHERE id = NEW.run_id AND status = 'held' AND effect_in_flight IS NULL)
    THEN
        broken := 'an_edit_is_of_a_held_run_without_an_effect_in_flight';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'edit % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER edit_keeps_what_was_shown BEFORE INSERT OR UPDATE ON approvals_editrequest
    FOR EACH ROW EXECUTE FUNCTION approvals_guard_edit();
CREATE TRIGGER edit_is_never_deleted BEFORE DELETE ON approvals_editrequest
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();

CREATE FUNCTION approvals_guard_edit_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM approvals_editrequest AS edit
          JOIN tenants_user AS person ON person.id = NEW.user_id
         WHERE edit.id = NEW.request_id AND edit.state = 'open'
           AND person.kind = 'person' AND person.is_active
           AND person.id <> edit.author_id AND person.id IS DISTINCT FROM edit.starter_id)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'edit % violates check constraint "an_edit_is_decided_by_a_second_person"',
        NEW.request_id USING ERRCODE = 'check_violation',
            CONSTRAINT = 'an_edit_is_decided_by_a_second_person',
            SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER edit_is_decided_by_a_second_person BEFORE INSERT ON approvals_editdecision
    FOR EACH ROW EXECUTE FUNCTION approvals_guard_edit_decision();
CREATE TRIGGER edit_decision_is_append_only BEFORE UPDATE OR DELETE ON approvals_editdecision
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();

SELECT kedge_close('approvals_editrequest',
    'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');
SELECT kedge_close('approvals_editdecision', 'EXISTS (
    SELECT 1 FROM approvals_editrequest AS its WHERE its.id = approvals_editdecision.request_id)');
