-- What a run's status, reason, end, mode and input must be. As CHECK constraints these were read
-- and compiled anew by every commit, and the input hashed each time (half of a commit's cost
-- above a bare row, measured); a commit sets none of these columns, so this does not run for it.
CREATE FUNCTION kedge_run_facts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF NEW.mode NOT IN ('live', 'shadow') THEN
        broken := 'run_mode_is_live_or_shadow';
    ELSIF NEW.status NOT IN ('succeeded', 'failed', 'cancelled') AND (
        CASE NEW.status
        WHEN 'queued' THEN NEW.reason IN ('started', 'woken', 'yielded', 'interrupted')
        WHEN 'running' THEN NEW.reason = 'working'
        WHEN 'waiting' THEN NEW.reason IN ('for_approval', 'for_retry', 'for_look_up',
            'for_settling', 'for_same_key', 'for_stop')
        WHEN 'held' THEN NEW.reason IN ('outcome_unknown', 'unmigratable', 'damaged_checkpoint',
            'missing_blob', 'world_changed', 'credential_invalid', 'crash_loop', 'invalid_output',
            'duplicate_effect', 'contradicted', 'record_behind')
        ELSE false END) IS NOT TRUE
    THEN
        broken := 'live_run_says_why';
    ELSIF NEW.status IN ('succeeded', 'failed', 'cancelled') IS DISTINCT FROM (
            NEW.finished_at IS NOT NULL)
        OR NEW.status IN ('succeeded', 'failed', 'cancelled') AND NEW.stop_reason NOT IN (
            'done', 'success_condition_unmet', 'cancelled_by_person', 'forbidden_effect',
            'rejected', 'refused', 'expired', 'sent_back', 'written_off')
        OR NEW.finished_at IS NULL AND NEW.stop_reason <> ''
    THEN
        broken := 'final_run_has_stop_reason_and_time';
    ELSIF NEW.effect_in_flight IS NOT NULL AND NEW.mode <> 'live' THEN
        broken := 'a_shadow_run_has_no_effect';
    ELSIF NEW.effect_in_flight IS NOT NULL AND NEW.finished_at IS NOT NULL THEN
        broken := 'no_final_run_with_an_effect_in_flight';
    ELSIF TG_OP = 'INSERT' AND NEW.input_digest IS DISTINCT FROM sha256(NEW.input) THEN
        broken := 'input_digest_is_of_the_input';
    ELSIF TG_OP = 'UPDATE' AND (NEW.input, NEW.input_digest)
        IS DISTINCT FROM (OLD.input, OLD.input_digest)
    THEN
        broken := 'the_input_of_a_run_never_changes';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'run % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER run_facts_hold BEFORE INSERT OR UPDATE OF
    status, reason, stop_reason, finished_at, effect_in_flight, mode, input, input_digest
    ON checkpoints_run FOR EACH ROW EXECUTE FUNCTION kedge_run_facts();
