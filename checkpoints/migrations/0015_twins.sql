SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY['checkpoints_twin', 'checkpoints_shadowdryrun']::regclass[]) AS name;

-- A twin can never become a live run, nor a dry run that was kept be one of a live run.
ALTER TABLE checkpoints_twin ADD CONSTRAINT twin_has_its_runs_mode
    FOREIGN KEY (run_id, mode) REFERENCES checkpoints_run (id, mode);
ALTER TABLE checkpoints_shadowdryrun ADD CONSTRAINT dry_run_has_its_runs_mode
    FOREIGN KEY (run_id, mode) REFERENCES checkpoints_run (id, mode);

-- It was asked what the live run was asked, and has no idempotency key in common with it (rule 5).
CREATE FUNCTION kedge_twin_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM checkpoints_run AS mine JOIN checkpoints_run AS live ON live.id = NEW.twin_of_id
         WHERE mine.id = NEW.run_id AND live.mode = 'live' AND mine.tenant_id = NEW.tenant_id
           AND (mine.tenant_id, mine.task_type, mine.business_key, mine.input_digest)
             = (live.tenant_id, live.task_type, live.business_key, live.input_digest)
           AND mine.effect_scope = mine.id AND mine.combo_id <> live.combo_id)
    THEN
        RAISE EXCEPTION 'twin % violates check constraint "a_twin_is_of_its_live_run"', NEW.run_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_twin_is_of_its_live_run',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER twin_begins BEFORE INSERT ON checkpoints_twin
    FOR EACH ROW EXECUTE FUNCTION kedge_twin_begins();
CREATE TRIGGER twin_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_twin
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER shadow_dry_run_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_shadowdryrun
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- Nobody is asked about a shadow: it has no case and is never held, so it is in no queue of people.
CREATE FUNCTION kedge_case_is_of_a_live_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM checkpoints_run WHERE id = NEW.run_id AND mode <> 'live') THEN
        RAISE EXCEPTION 'case of run % violates check constraint "a_shadow_run_has_no_case"', NEW.run_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_shadow_run_has_no_case',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER case_is_of_a_live_run BEFORE INSERT ON checkpoints_case
    FOR EACH ROW EXECUTE FUNCTION kedge_case_is_of_a_live_run();

-- What a run's facts must be stands in one function that other migrations extend as well, so the
-- words are added to whatever it says by now.
CREATE FUNCTION kedge_reword_run_facts(before text, after text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    was text := pg_get_functiondef('kedge_run_facts'::regproc);
BEGIN
    IF strpos(was, before) = 0 THEN
        RAISE EXCEPTION 'kedge_run_facts() does not say %', before;
    END IF;
    EXECUTE replace(was, before, after);
END $$;
SELECT kedge_reword_run_facts('''sent_back'', ''written_off''',
    '''sent_back'', ''shadow_ended'', ''shadow_trouble'', ''written_off''');
SELECT kedge_reword_run_facts(
    '    ELSIF NEW.effect_in_flight IS NOT NULL AND NEW.mode <> ''live'' THEN',
    '    ELSIF NEW.status = ''held'' AND NEW.mode <> ''live'' THEN
        broken := ''a_shadow_run_is_never_held'';
    ELSIF NEW.effect_in_flight IS NOT NULL AND NEW.mode <> ''live'' THEN');
-- split
SELECT kedge_reword_run_facts(
    '    ELSIF NEW.status = ''held'' AND NEW.mode <> ''live'' THEN
        broken := ''a_shadow_run_is_never_held'';
', '');
SELECT kedge_reword_run_facts('''shadow_ended'', ''shadow_trouble'', ', '');
DROP FUNCTION kedge_reword_run_facts(text, text);
DROP TRIGGER case_is_of_a_live_run ON checkpoints_case;
DROP FUNCTION kedge_case_is_of_a_live_run();
DROP TRIGGER shadow_dry_run_is_append_only ON checkpoints_shadowdryrun;
DROP TRIGGER twin_is_append_only ON checkpoints_twin;
DROP TRIGGER twin_begins ON checkpoints_twin;
DROP FUNCTION kedge_twin_begins();
