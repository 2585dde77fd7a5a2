-- The stored hash is of the stored bytes: the same computation as approvals/hashing.py.
ALTER TABLE approvals_approvalrequest ADD CONSTRAINT action_hash_is_of_what_is_bound CHECK (
    action_hash = encode(sha256('kedge:action-hash:v1\000'::bytea || bound), 'hex')
);

-- What was shown stays what was shown: only the state of a request moves, and only forward.
CREATE FUNCTION approvals_guard_request() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown approvals_approvalrequest := NEW;
BEGIN
    shown.state := OLD.state;
    shown.closed_at := OLD.closed_at;
    shown.closed_by := OLD.closed_by;
    shown.closed_because := OLD.closed_because;
    IF shown IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'request %: what people were shown is never changed', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.state <> OLD.state AND NOT (
        OLD.state = 'open'
            AND NEW.state IN ('approved', 'rejected', 'sent_back', 'expired', 'withdrawn')
        OR OLD.state = 'approved' AND NEW.state IN ('used', 'expired', 'withdrawn')
    ) THEN
        RAISE EXCEPTION 'request %: % does not become %', OLD.id, OLD.state, NEW.state
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION approvals_guard_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW IS DISTINCT FROM OLD AND (
        OLD.state <> 'unused' OR NEW.request_id <> OLD.request_id
        OR NEW.granted_at <> OLD.granted_at
    ) THEN
        RAISE EXCEPTION 'approval %: % is final', OLD.request_id, OLD.state
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION approvals_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % refused: these rows are facts and are only ever added',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER request_keeps_what_was_shown BEFORE UPDATE ON approvals_approvalrequest
    FOR EACH ROW EXECUTE FUNCTION approvals_guard_request();
CREATE TRIGGER request_is_never_deleted BEFORE DELETE ON approvals_approvalrequest
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
CREATE TRIGGER approval_ends_once BEFORE UPDATE ON approvals_approval
    FOR EACH ROW EXECUTE FUNCTION approvals_guard_approval();
CREATE TRIGGER approval_is_never_deleted BEFORE DELETE ON approvals_approval
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
CREATE TRIGGER decision_is_append_only BEFORE UPDATE OR DELETE ON approvals_decision
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
CREATE TRIGGER taking_back_is_append_only BEFORE UPDATE OR DELETE ON approvals_takenback
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
