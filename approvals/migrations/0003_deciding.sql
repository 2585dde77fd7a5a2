-- Who asked whom stays as it was; the only thing that is ever added is that it was taken back, once.
CREATE FUNCTION approvals_guard_hand_over() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    given approvals_handover := NEW;
BEGIN
    given.taken_back_at := OLD.taken_back_at;
    IF given IS DISTINCT FROM OLD OR OLD.taken_back_at IS NOT NULL THEN
        RAISE EXCEPTION 'hand-over %: it can only be taken back, once', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER hand_over_ends_once BEFORE UPDATE ON approvals_handover
    FOR EACH ROW EXECUTE FUNCTION approvals_guard_hand_over();
CREATE TRIGGER hand_over_is_never_deleted BEFORE DELETE ON approvals_handover
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
CREATE TRIGGER batch_is_append_only BEFORE UPDATE OR DELETE ON approvals_batch
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
CREATE TRIGGER batch_entry_is_append_only BEFORE UPDATE OR DELETE ON approvals_batchentry
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
