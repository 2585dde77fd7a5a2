SELECT kedge_close('checkpoints_repin', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

CREATE FUNCTION kedge_refuse_repin(what text, broken text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% violates check constraint "%"', what, broken
        USING ERRCODE = 'check_violation', CONSTRAINT = broken;
END $$;

-- An order stays what it is and ends once. It says that the run moved only when the run has.
CREATE FUNCTION kedge_repin_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    pinned checkpoints_run;
BEGIN
    SELECT * INTO pinned FROM checkpoints_run WHERE id = NEW.run_id;
    IF TG_OP = 'INSERT' THEN
        IF NEW.ended <> '' THEN
            PERFORM kedge_refuse_repin('repin', 'a_repin_begins_open');
        ELSIF (pinned.tenant_id, pinned.combo_id) IS DISTINCT FROM (NEW.tenant_id, NEW.from_combo_id)
        THEN
            PERFORM kedge_refuse_repin('repin', 'a_repin_is_of_its_run_as_it_is');
        ELSIF pinned.finished_at IS NOT NULL THEN
            PERFORM kedge_refuse_repin('repin', 'no_final_run_is_moved');
        ELSIF NOT EXISTS (SELECT FROM checkpoints_combo
            WHERE id = NEW.to_combo_id AND task_type = pinned.task_type)
        THEN
            PERFORM kedge_refuse_repin('repin', 'a_run_stays_among_combos_of_its_task');
        ELSIF NEW.cause = 'successor' AND NOT EXISTS (SELECT FROM checkpoints_successor
            WHERE combo_id = NEW.to_combo_id AND of_id = NEW.from_combo_id)
        THEN
            PERFORM kedge_refuse_repin('repin', 'a_successor_is_declared');
        END IF;
    ELSIF OLD.ended <> '' OR (NEW.id, NEW.run_id, NEW.tenant_id, NEW.from_combo_id, NEW.to_combo_id,
        NEW.why, NEW.cause, NEW.reference, NEW.person_id, NEW.ordered_by, NEW.ordered_at)
        IS DISTINCT FROM (OLD.id, OLD.run_id, OLD.tenant_id, OLD.from_combo_id, OLD.to_combo_id,
        OLD.why, OLD.cause, OLD.reference, OLD.person_id, OLD.ordered_by, OLD.ordered_at)
    THEN
        PERFORM kedge_refuse_repin('repin', 'a_repin_stays_what_it_is_and_ends_once');
    ELSIF NEW.ended = 'moved'
        AND (pinned.combo_id, pinned.head) IS DISTINCT FROM (NEW.to_combo_id, NEW.seq)
    THEN
        PERFORM kedge_refuse_repin('repin', 'a_moved_run_has_moved');
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER repin_holds BEFORE INSERT OR UPDATE ON checkpoints_repin
    FOR EACH ROW EXECUTE FUNCTION kedge_repin_holds();
CREATE TRIGGER repin_is_kept BEFORE DELETE ON checkpoints_repin
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- The run's own column says what is ordered: a commit tells its worker, and asks no other table.
CREATE FUNCTION kedge_repin_is_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE checkpoints_run
       SET moving_to_id = CASE WHEN NEW.ended = '' THEN NEW.to_combo_id END
     WHERE id = NEW.run_id;
    RETURN NULL;
END $$;

CREATE TRIGGER repin_is_told AFTER INSERT OR UPDATE OF ended ON checkpoints_repin
    FOR EACH ROW EXECUTE FUNCTION kedge_repin_is_told();

-- As before, but for the one way in which a run's combo moves. No commit fires it.
CREATE OR REPLACE FUNCTION kedge_run_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.id <> OLD.id THEN
        RAISE EXCEPTION '% of run % refused: a run stays', TG_OP, OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.moving_to_id IS DISTINCT FROM (
        SELECT to_combo_id FROM checkpoints_repin WHERE run_id = NEW.id AND ended = '')
    THEN
        PERFORM kedge_refuse_repin('run', 'a_run_says_where_it_is_ordered');
    END IF;
    IF NEW.combo_id = OLD.combo_id THEN
        IF NEW.first_combo_id IS DISTINCT FROM OLD.first_combo_id THEN
            PERFORM kedge_refuse_repin('run', 'what_a_run_was_started_on_stays');
        END IF;
        RETURN NEW;
    END IF;
    IF NOT EXISTS (SELECT FROM checkpoints_repin WHERE run_id = NEW.id AND ended = ''
        AND from_combo_id = OLD.combo_id AND to_combo_id = NEW.combo_id)
    THEN
        PERFORM kedge_refuse_repin('run', 'a_run_moves_only_as_ordered');
    ELSIF OLD.status = 'running' OR NEW.status = 'running' THEN
        PERFORM kedge_refuse_repin('run', 'no_leased_run_is_moved');
    ELSIF OLD.finished_at IS NOT NULL OR NEW.finished_at IS NOT NULL THEN
        PERFORM kedge_refuse_repin('run', 'no_final_run_is_moved');
    ELSIF OLD.effect_in_flight IS NOT NULL THEN
        PERFORM kedge_refuse_repin('run', 'no_run_is_moved_past_an_unsettled_effect');
    ELSIF NEW.head <> OLD.head THEN
        PERFORM kedge_refuse_repin('run', 'a_run_moves_at_a_boundary');
    END IF;
    NEW.first_combo_id := coalesce(OLD.first_combo_id, OLD.combo_id);
    RETURN NEW;
END $$;

DROP TRIGGER run_stays ON checkpoints_run;
CREATE TRIGGER run_stays
    BEFORE DELETE OR UPDATE OF id, combo_id, first_combo_id, moving_to_id ON checkpoints_run
    FOR EACH ROW EXECUTE FUNCTION kedge_run_stays();

CREATE FUNCTION kedge_run_begins_where_it_is() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kedge_refuse_repin('run', 'a_new_run_was_never_moved');
    RETURN NULL;
END $$;

CREATE TRIGGER run_begins_where_it_is BEFORE INSERT ON checkpoints_run
    FOR EACH ROW WHEN (NEW.first_combo_id IS NOT NULL OR NEW.moving_to_id IS NOT NULL)
    EXECUTE FUNCTION kedge_run_begins_where_it_is();

-- Judged as the transaction ends: whoever moves the run ends the order, with the head of then.
CREATE FUNCTION kedge_move_is_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM checkpoints_repin WHERE run_id = NEW.id AND ended = 'moved'
        AND from_combo_id = OLD.combo_id AND to_combo_id = NEW.combo_id AND seq = NEW.head)
        OR EXISTS (SELECT FROM checkpoints_repin WHERE run_id = NEW.id AND ended = ''
        AND to_combo_id = (SELECT combo_id FROM checkpoints_run WHERE id = NEW.id))
    THEN
        PERFORM kedge_refuse_repin('run', 'a_move_is_whole');
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER move_is_whole AFTER UPDATE OF combo_id ON checkpoints_run
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.combo_id <> OLD.combo_id) EXECUTE FUNCTION kedge_move_is_whole();

CREATE FUNCTION kedge_successor_is_of_its_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(DISTINCT task_type) FROM checkpoints_combo
         WHERE id IN (NEW.combo_id, NEW.of_id)) <> 1
    THEN
        PERFORM kedge_refuse_repin('successor', 'a_successor_is_of_the_same_task');
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER successor_is_of_its_task BEFORE INSERT ON checkpoints_successor
    FOR EACH ROW EXECUTE FUNCTION kedge_successor_is_of_its_task();
CREATE TRIGGER successor_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_successor
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- As before (0007), but that the first checkpoint after a move is of the combo the run has then.
CREATE OR REPLACE FUNCTION kedge_checkpoint_facts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF (NEW.parent_seq >= 0 AND NEW.parent_seq < NEW.seq) IS NOT TRUE THEN
        broken := 'checkpoint_follows_its_parent';
    ELSIF NEW.digest IS DISTINCT FROM sha256(NEW.header) THEN
        broken := 'checkpoint_digest_is_of_its_header';
    ELSIF (convert_from(NEW.header, 'UTF8')::json ->> 'state') IS DISTINCT FROM
        translate(rtrim(encode(sha256(NEW.state), 'base64'), '='), '+/', '-_')
    THEN
        broken := 'checkpoint_state_is_what_its_header_says';
    ELSIF NEW.seq = 1 THEN
        IF NOT EXISTS (
            SELECT FROM checkpoints_run WHERE id = NEW.run_id AND combo_id = NEW.combo_id)
        THEN
            broken := 'first_checkpoint_is_of_a_run_and_its_combo';
        END IF;
    -- By induction the run's as well, while it has not moved; that it is not of the one before the
    -- move is judged by the commit on the run's own row.
    -- With the number asked in the same condition this would be planned anew each time.
    ELSIF NOT EXISTS (
        SELECT FROM checkpoints_checkpoint
         WHERE run_id = NEW.run_id AND seq = NEW.seq - 1 AND combo_id = NEW.combo_id)
    THEN
        IF NOT EXISTS (
            SELECT FROM checkpoints_checkpoint WHERE run_id = NEW.run_id AND seq = NEW.seq - 1)
            OR NOT EXISTS (
            SELECT FROM checkpoints_repin WHERE run_id = NEW.run_id AND ended = 'moved'
               AND seq = NEW.seq - 1 AND to_combo_id = NEW.combo_id)
            OR NOT EXISTS (
            SELECT FROM checkpoints_run WHERE id = NEW.run_id AND combo_id = NEW.combo_id)
        THEN
            broken := 'checkpoint_follows_one_of_its_combo_without_a_gap';
        END IF;
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'checkpoint % of run % violates check constraint "%"',
            NEW.seq, NEW.run_id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

-- split
DROP TRIGGER run_begins_where_it_is ON checkpoints_run;
DROP FUNCTION kedge_run_begins_where_it_is();
DROP TRIGGER move_is_whole ON checkpoints_run;
DROP FUNCTION kedge_move_is_whole();
DROP TRIGGER run_stays ON checkpoints_run;
CREATE TRIGGER run_stays BEFORE DELETE OR UPDATE OF id, combo_id ON checkpoints_run
    FOR EACH ROW EXECUTE FUNCTION kedge_run_stays();
DROP TRIGGER repin_is_told ON checkpoints_repin;
DROP FUNCTION kedge_repin_is_told();
DROP TRIGGER repin_is_kept ON checkpoints_repin;
DROP TRIGGER repin_holds ON checkpoints_repin;
DROP FUNCTION kedge_repin_holds();
DROP TRIGGER successor_is_of_its_task ON checkpoints_successor;
DROP FUNCTION kedge_successor_is_of_its_task();
DROP TRIGGER successor_is_append_only ON checkpoints_successor;
DROP FUNCTION kedge_refuse_repin(text, text);
