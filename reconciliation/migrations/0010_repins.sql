-- Another combo may not know what was proposed, or read its answer otherwise (rule 12). A proposal
-- that was never sent is given up first.
CREATE FUNCTION kedge_absorb_before_moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM reconciliation_action WHERE run_id = NEW.id AND absorbed_seq IS NULL)
    THEN
        PERFORM kedge_refuse_repin('run', 'no_run_is_moved_with_an_open_action');
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER run_absorbs_before_it_moves BEFORE UPDATE OF combo_id ON checkpoints_run
    FOR EACH ROW WHEN (NEW.combo_id <> OLD.combo_id) EXECUTE FUNCTION kedge_absorb_before_moving();
-- split
DROP TRIGGER run_absorbs_before_it_moves ON checkpoints_run;
DROP FUNCTION kedge_absorb_before_moving();
