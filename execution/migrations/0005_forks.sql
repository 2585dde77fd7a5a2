-- What a run takes over is an effect of its own lineage, of another run, that is over: it happened,
-- or nobody can know. What the world never had cannot be taken over.
ALTER TABLE checkpoints_reuse ADD CONSTRAINT reuse_is_of_an_action
    FOREIGN KEY (action_id) REFERENCES reconciliation_action (id);

CREATE FUNCTION kedge_guard_reuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM reconciliation_action AS action
          JOIN checkpoints_run AS its ON its.id = action.run_id
          JOIN checkpoints_run AS mine ON mine.id = NEW.run_id
         WHERE action.id = NEW.action_id AND its.id <> mine.id
           AND its.effect_scope = mine.effect_scope AND its.tenant_id = mine.tenant_id
           AND mine.tenant_id = NEW.tenant_id AND action.mode = 'live'
           AND action.stands = 'settled' AND action.outcome IN ('happened', 'written_off'))
    THEN
        RAISE EXCEPTION 'run % cannot take over action %', NEW.run_id, NEW.action_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER reuse_is_of_what_happened BEFORE INSERT ON checkpoints_reuse
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_reuse();
