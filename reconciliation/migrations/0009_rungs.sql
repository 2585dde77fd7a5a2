-- The last wall of the ladder: no intent to send above the rung of its combo. What the journal has was
-- sent before, by whoever stood high enough then.
CREATE FUNCTION kedge_guard_rung() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stands text;
BEGIN
    SELECT kedge_rung(run.tenant_id, run.combo_id, action.tool) INTO stands
      FROM reconciliation_action AS action JOIN checkpoints_run AS run ON run.id = action.run_id
     WHERE action.id = NEW.action_id;
    IF stands IS DISTINCT FROM 'write' THEN
        RAISE EXCEPTION 'attempt of action % violates check constraint "%"', NEW.action_id,
            'nothing_is_sent_above_its_rung'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'nothing_is_sent_above_its_rung';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER nothing_is_sent_above_its_rung BEFORE INSERT ON reconciliation_attempt
    FOR EACH ROW WHEN (NOT NEW.from_journal) EXECUTE FUNCTION kedge_guard_rung();
-- split
DROP TRIGGER nothing_is_sent_above_its_rung ON reconciliation_attempt;
DROP FUNCTION kedge_guard_rung();
