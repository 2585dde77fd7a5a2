-- Lines and divergences are facts: only what became of them moves, and what is settled stays so.
CREATE FUNCTION kedge_guard_missing_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (NEW.attempt_id, NEW.divergence_id, NEW.tenant_id, NEW.run_id,
        NEW.action_id, NEW.tool, NEW.target, NEW.sent_at, NEW.line) IS DISTINCT FROM
       (OLD.attempt_id, OLD.divergence_id, OLD.tenant_id, OLD.run_id, OLD.action_id, OLD.tool,
        OLD.target, OLD.sent_at, OLD.line) OR (OLD.became <> '' AND NEW.became = '')
    THEN
        RAISE EXCEPTION 'a line that the record lacks is a fact, and what is settled of it stays'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER missing_line_is_a_fact BEFORE UPDATE OR DELETE ON reconciliation_missingline
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_missing_line();

-- It ends, and the journal becomes another, only as its stop is lifted: by the trigger below.
CREATE FUNCTION kedge_guard_divergence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (NEW.ended_at IS NOT NULL AND pg_trigger_depth() < 2) THEN
        RAISE EXCEPTION 'a divergence ends only as two people lift the stop that stands for it'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER divergence_ends_only_by_lifting BEFORE UPDATE OR DELETE ON reconciliation_divergence
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_divergence();

CREATE FUNCTION kedge_guard_journal_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.place <> '' AND pg_trigger_depth() < 2
        AND (NEW.place <> OLD.place OR NEW.seq < OLD.seq)) THEN
        RAISE EXCEPTION 'which journal belongs to the record changes only as two people lift the stop'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER journal_changes_only_by_lifting BEFORE UPDATE OR DELETE
    ON reconciliation_journalmark FOR EACH ROW EXECUTE FUNCTION kedge_guard_journal_mark();

-- What keeps the stop of a divergence from being lifted; "" when nothing does. Of all tenants,
-- whoever asks.
CREATE FUNCTION kedge_keeps_apart(its_stop bigint) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public AS $$
DECLARE
    which reconciliation_divergence;
    lines bigint;
    grants bigint;
BEGIN
    SELECT * INTO which FROM reconciliation_divergence
     WHERE stop_id = its_stop AND ended_at IS NULL;
    IF NOT FOUND THEN
        RETURN '';
    END IF;
    SELECT count(*) INTO lines FROM reconciliation_missingline WHERE became = '';
    SELECT count(*) INTO grants
      FROM approvals_approval JOIN approvals_approvalrequest ON id = request_id
     WHERE approvals_approvalrequest.state = 'approved' AND approvals_approval.state = 'unused'
       AND granted_at <= which.noticed_at;
    IF lines > 0 THEN
        RETURN format('lines of the journal that the record lacks and nobody has settled: %s', lines);
    ELSIF grants > 0 THEN
        RETURN format('approvals from before that are not withdrawn yet: %s', grants);
    END IF;
    RETURN '';
END $$;

CREATE FUNCTION kedge_end_divergence() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
    which reconciliation_divergence;
    why text := kedge_keeps_apart(NEW.id);
BEGIN
    SELECT * INTO which FROM reconciliation_divergence
     WHERE stop_id = NEW.id AND ended_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NEW;
    END IF;
    IF why <> '' THEN
        RAISE EXCEPTION '%', why USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    UPDATE tenants_installation SET (system_identifier, timeline) =
        (SELECT live.system, live.timeline FROM kedge_identity() AS live);
    -- From where the journal of now is compared with the record of now.
    UPDATE reconciliation_journalmark SET
           place = which.seen ->> 'place', seq = (which.seen ->> 'seq')::bigint,
           digest = which.seen ->> 'digest', at = which.seen ->> 'at',
           receipt = greatest(receipt, (which.seen ->> 'receipt')::bigint)
     WHERE which.seen ? 'place';
    UPDATE reconciliation_divergence SET ended_at = NEW.lifted_at, ended_by = NEW.lifted_by
     WHERE id = which.id;
    RETURN NEW;
END $$;
CREATE TRIGGER lifting_ends_its_divergence AFTER UPDATE OF lifted_at ON checkpoints_stop
    FOR EACH ROW WHEN (OLD.lifted_at IS NULL AND NEW.lifted_at IS NOT NULL)
    EXECUTE FUNCTION kedge_end_divergence();

-- An attempt without an approval is one that the journal has, and that the record is known to lack.
CREATE FUNCTION kedge_guard_from_journal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM reconciliation_missingline
                    WHERE attempt_id = NEW.id AND became = '') THEN
        RAISE EXCEPTION 'attempt % is not one that the record lacks', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER attempt_from_journal_is_missing BEFORE INSERT ON reconciliation_attempt
    FOR EACH ROW WHEN (NEW.from_journal) EXECUTE FUNCTION kedge_guard_from_journal();

SELECT kedge_close('reconciliation_missingline', 'tenant_id IS NULL
    OR tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');
-- split
DROP TRIGGER attempt_from_journal_is_missing ON reconciliation_attempt;
DROP FUNCTION kedge_guard_from_journal();
DROP TRIGGER lifting_ends_its_divergence ON checkpoints_stop;
DROP FUNCTION kedge_end_divergence();
DROP FUNCTION kedge_keeps_apart(bigint);
DROP TRIGGER journal_changes_only_by_lifting ON reconciliation_journalmark;
DROP FUNCTION kedge_guard_journal_mark();
DROP TRIGGER divergence_ends_only_by_lifting ON reconciliation_divergence;
DROP FUNCTION kedge_guard_divergence();
DROP TRIGGER missing_line_is_a_fact ON reconciliation_missingline;
DROP FUNCTION kedge_guard_missing_line();
