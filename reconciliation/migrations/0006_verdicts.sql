-- As before; and what happened by a person's word alone, with no answer of the tool beside it, can
-- be put right once that word was taken back.
CREATE OR REPLACE FUNCTION kedge_guard_action() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.run_id, NEW.tenant_id, NEW.key, NEW.tool, NEW.parameters, NEW.mode)
       IS DISTINCT FROM (OLD.run_id, OLD.tenant_id, OLD.key, OLD.tool, OLD.parameters, OLD.mode)
    THEN
        RAISE EXCEPTION 'action %: what was proposed is frozen', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF OLD.outcome = 'happened' AND NEW.outcome <> 'happened' AND NOT (
        OLD.because = 'by_person'
        AND NOT EXISTS (
            SELECT 1 FROM reconciliation_receipt
             WHERE action_id = OLD.id AND source NOT IN ('person', 'refusal'))
        AND EXISTS (
            SELECT 1 FROM checkpoints_superseded AS taken_back
              JOIN checkpoints_verdict AS said ON said.id = taken_back.verdict_id
              JOIN checkpoints_case AS about ON about.id = said.case_id
             WHERE about.action_id = OLD.id AND said.verdict IN ('it_happened', 'compensate')))
    THEN
        RAISE EXCEPTION 'action %: what happened cannot be made not to have happened', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

-- split
CREATE OR REPLACE FUNCTION kedge_guard_action() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.run_id, NEW.tenant_id, NEW.key, NEW.tool, NEW.parameters, NEW.mode)
       IS DISTINCT FROM (OLD.run_id, OLD.tenant_id, OLD.key, OLD.tool, OLD.parameters, OLD.mode)
    THEN
        RAISE EXCEPTION 'action %: what was proposed is frozen', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF OLD.outcome = 'happened' AND NEW.outcome <> 'happened' THEN
        RAISE EXCEPTION 'action %: what happened cannot be made not to have happened', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
