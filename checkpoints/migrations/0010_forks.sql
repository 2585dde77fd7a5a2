-- What a fork must be as it begins. Runs are started all the time and forked rarely: the trigger
-- fires for forks alone. The source is locked by whoever forks.
CREATE FUNCTION kedge_fork_begins() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    source checkpoints_run;
    broken text := '';
BEGIN
    SELECT * INTO source FROM checkpoints_run WHERE id = NEW.forked_from_id;
    IF source.id IS NULL OR (source.tenant_id, source.task_type, source.business_key,
            source.effect_scope, source.mode, source.input_digest)
        IS DISTINCT FROM (NEW.tenant_id, NEW.task_type, NEW.business_key, NEW.effect_scope,
            NEW.mode, NEW.input_digest)
    THEN
        broken := 'a_fork_is_of_its_source';
    ELSIF NEW.head <> 1 OR NEW.status <> 'queued' THEN
        broken := 'a_fork_begins_at_its_first_checkpoint';
    ELSIF source.finished_at IS NULL AND source.status <> 'held' THEN
        broken := 'only_a_final_or_held_run_is_forked';
    ELSIF EXISTS (
        SELECT FROM checkpoints_run WHERE effect_in_flight IS NOT NULL AND (
            id = NEW.effect_scope
            OR effect_scope = NEW.effect_scope AND forked_from_id IS NOT NULL))
    THEN
        broken := 'no_fork_past_an_unsettled_effect';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'run % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER fork_begins BEFORE INSERT ON checkpoints_run
    FOR EACH ROW WHEN (NEW.forked_from_id IS NOT NULL) EXECUTE FUNCTION kedge_fork_begins();

-- Every idempotency key holds the scope; a run that left its lineage would repeat its effects.
CREATE FUNCTION kedge_lineage_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.forked_from_id, NEW.effect_scope)
        IS DISTINCT FROM (OLD.forked_from_id, OLD.effect_scope)
    THEN
        RAISE EXCEPTION 'run %: where it was forked from never changes', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER lineage_stays BEFORE UPDATE OF forked_from_id, effect_scope ON checkpoints_run
    FOR EACH ROW EXECUTE FUNCTION kedge_lineage_stays();

-- Judged as the transaction ends: run, row of the fork and first checkpoint come together.
CREATE FUNCTION kedge_fork_is_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM checkpoints_fork AS fork
          JOIN checkpoints_checkpoint AS first ON first.run_id = fork.run_id AND first.seq = 1
         WHERE fork.run_id = NEW.id AND fork.source_id = NEW.forked_from_id
           AND fork.tenant_id = NEW.tenant_id)
    THEN
        RAISE EXCEPTION 'run % is forked and says not from where', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER fork_is_whole AFTER INSERT ON checkpoints_run
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.forked_from_id IS NOT NULL) EXECUTE FUNCTION kedge_fork_is_whole();

CREATE TRIGGER fork_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_fork
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER reuse_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_reuse
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY['checkpoints_fork', 'checkpoints_reuse']::regclass[]) AS name;
