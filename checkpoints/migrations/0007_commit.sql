-- What a checkpoint must be, judged once when it is added (it never changes). As CHECK constraints
-- these were read and compiled anew by every commit; as foreign keys each cost a query and a lock
-- of its own, the combo's on a row that all runs of a task type share.
CREATE FUNCTION kedge_checkpoint_facts() RETURNS trigger LANGUAGE plpgsql AS $$
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
    -- By induction the run's as well: neither the run's combo nor what is committed ever changes.
    -- With the number asked in the same condition this would be planned anew each time.
    ELSIF NOT EXISTS (
        SELECT FROM checkpoints_checkpoint
         WHERE run_id = NEW.run_id AND seq = NEW.seq - 1 AND combo_id = NEW.combo_id)
    THEN
        broken := 'checkpoint_follows_one_of_its_combo_without_a_gap';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'checkpoint % of run % violates check constraint "%"',
            NEW.seq, NEW.run_id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER checkpoint_facts_hold BEFORE INSERT ON checkpoints_checkpoint
    FOR EACH ROW EXECUTE FUNCTION kedge_checkpoint_facts();
DROP TRIGGER checkpoint_leaves_no_gap ON checkpoints_checkpoint;
DROP FUNCTION kedge_refuse_gap();
ALTER TABLE checkpoints_checkpoint
    DROP CONSTRAINT checkpoint_follows_its_parent,
    DROP CONSTRAINT checkpoint_digest_is_of_its_header,
    DROP CONSTRAINT checkpoint_state_is_what_its_header_says,
    DROP CONSTRAINT checkpoints_checkpoint_run_id_fkey,
    DROP CONSTRAINT checkpoints_checkpoint_combo_id_fkey;

-- The other end of what were foreign keys: what checkpoints name stays. No commit fires it.
CREATE FUNCTION kedge_run_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (NEW.id, NEW.combo_id) IS DISTINCT FROM (OLD.id, OLD.combo_id) THEN
        RAISE EXCEPTION '% of run % refused: a run stays, and so does its combo', TG_OP, OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER run_stays BEFORE DELETE OR UPDATE OF id, combo_id ON checkpoints_run
    FOR EACH ROW EXECUTE FUNCTION kedge_run_stays();

-- As before, and whether it is leased, which was a CHECK constraint: see above.
CREATE OR REPLACE FUNCTION kedge_guard_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.status = 'running') IS DISTINCT FROM (NEW.holder IS NOT NULL)
        OR (NEW.holder IS NULL) IS DISTINCT FROM (NEW.lease_until IS NULL)
    THEN
        RAISE EXCEPTION 'run % violates check constraint "a_run_is_leased_iff_running"', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_run_is_leased_iff_running',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    -- For a new row all of the old one is null, so nothing below is true.
    IF NEW.fence < OLD.fence THEN
        RAISE EXCEPTION 'run %: the fence only grows', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.head <> OLD.head THEN
        IF NEW.head <> OLD.head + 1 THEN
            RAISE EXCEPTION 'run %: the head only moves forward, by one', OLD.id
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        IF OLD.status <> 'running' OR OLD.effect_in_flight IS NOT NULL THEN
            RAISE EXCEPTION
                'run %: the head moves only under a lease and with no effect in flight', OLD.id
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END IF;
    IF OLD.finished_at IS NOT NULL AND (NEW.status <> OLD.status OR NEW.fence <> OLD.fence) THEN
        RAISE EXCEPTION 'run %: final is final', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

DROP TRIGGER run_moves_only_forward ON checkpoints_run;
CREATE TRIGGER run_moves_only_forward BEFORE INSERT OR UPDATE ON checkpoints_run
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_run();

-- split
DROP TRIGGER run_stays ON checkpoints_run;
DROP FUNCTION kedge_run_stays();
DROP TRIGGER checkpoint_facts_hold ON checkpoints_checkpoint;
DROP FUNCTION kedge_checkpoint_facts();
DROP TRIGGER run_moves_only_forward ON checkpoints_run;
CREATE TRIGGER run_moves_only_forward BEFORE UPDATE ON checkpoints_run
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_run();
ALTER TABLE checkpoints_checkpoint
    ADD CONSTRAINT checkpoint_follows_its_parent CHECK (parent_seq >= 0 AND parent_seq < seq),
    ADD CONSTRAINT checkpoint_digest_is_of_its_header CHECK (digest = sha256(header)),
    ADD CONSTRAINT checkpoint_state_is_what_its_header_says CHECK (
        (convert_from(header, 'UTF8')::jsonb ->> 'state')
        = translate(rtrim(encode(sha256(state), 'base64'), '='), '+/', '-_')
    ),
    ADD FOREIGN KEY (run_id) REFERENCES checkpoints_run (id),
    ADD FOREIGN KEY (combo_id) REFERENCES checkpoints_combo (id);
