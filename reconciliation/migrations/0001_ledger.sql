-- An intent of a shadow run cannot be written: the mode travels by composite key from the run.
ALTER TABLE checkpoints_run ADD CONSTRAINT run_and_mode UNIQUE (id, mode);
ALTER TABLE reconciliation_action ADD CONSTRAINT action_has_its_runs_mode
    FOREIGN KEY (run_id, mode) REFERENCES checkpoints_run (id, mode);
ALTER TABLE reconciliation_action ADD CONSTRAINT action_and_mode UNIQUE (id, mode);
ALTER TABLE reconciliation_attempt ADD CONSTRAINT attempt_has_its_actions_mode
    FOREIGN KEY (action_id, mode) REFERENCES reconciliation_action (id, mode);

CREATE TRIGGER receipt_is_append_only BEFORE UPDATE OR DELETE ON reconciliation_receipt
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER look_up_is_append_only BEFORE UPDATE OR DELETE ON reconciliation_lookup
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- What was proposed is frozen; a settled outcome moves only to say that it was compensated for,
-- or when late evidence contradicts it (then the ledger says so by a person's verdict).
CREATE FUNCTION kedge_guard_action() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER action_is_frozen BEFORE UPDATE ON reconciliation_action
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_action();

CREATE FUNCTION kedge_guard_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (NEW.id, NEW.action_id, NEW.number, NEW.approval_id, NEW.action_hash,
        NEW.fence, NEW.deadline_at) IS DISTINCT FROM (OLD.id, OLD.action_id, OLD.number,
        OLD.approval_id, OLD.action_hash, OLD.fence, OLD.deadline_at)
    THEN
        RAISE EXCEPTION 'attempt %: an intent is a fact', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER attempt_is_a_fact BEFORE UPDATE OR DELETE ON reconciliation_attempt
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_attempt();

-- A further attempt needs every earlier one proven without effect (rules 3 and 6).
CREATE FUNCTION kedge_guard_intent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM reconciliation_attempt
        WHERE action_id = NEW.action_id
          AND outcome NOT IN ('absent', 'voided', 'not_called', 'resent_under_key')
    ) OR EXISTS (
        SELECT 1 FROM reconciliation_action WHERE id = NEW.action_id AND evidence_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'attempt % of action % refused: an earlier one is not proven without effect',
            NEW.number, NEW.action_id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER intent_follows_only_proven_attempts BEFORE INSERT ON reconciliation_attempt
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_intent();
