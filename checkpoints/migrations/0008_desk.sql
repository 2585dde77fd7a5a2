-- Of a claim only the lease and the end ever move, the end once; it is never deleted.
CREATE FUNCTION kedge_guard_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended <> ''
        OR (NEW.id, NEW.tenant_id, NEW.kind, NEW.key, NEW.holder_id, NEW.handed_by_id,
            NEW.taken_from_id, NEW.since)
            IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.kind, OLD.key, OLD.holder_id,
            OLD.handed_by_id, OLD.taken_from_id, OLD.since)
    THEN
        RAISE EXCEPTION 'claim % violates check constraint "a_claim_ends_once"', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_claim_ends_once',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER claim_ends_once BEFORE UPDATE ON checkpoints_claim
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_claim();
CREATE TRIGGER claim_is_never_deleted BEFORE DELETE ON checkpoints_claim
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

CREATE TRIGGER note_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_note
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- An interval of waiting gets its end, once; nothing else of it moves.
CREATE FUNCTION kedge_guard_outside_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL
        OR (NEW.id, NEW.tenant_id, NEW.case_id, NEW.party, NEW.why, NEW.begun_by_id, NEW.begun_at)
            IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.case_id, OLD.party, OLD.why,
            OLD.begun_by_id, OLD.begun_at)
    THEN
        RAISE EXCEPTION 'wait % violates check constraint "an_outside_wait_ends_once"', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_outside_wait_ends_once',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER outside_wait_ends_once BEFORE UPDATE ON checkpoints_outsidewait
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_outside_wait();
CREATE TRIGGER outside_wait_is_never_deleted BEFORE DELETE ON checkpoints_outsidewait
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- A note and a wait are of their case's tenant, whoever writes the row.
CREATE FUNCTION kedge_guard_tenant_of_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM checkpoints_case
                    WHERE id = NEW.case_id AND tenant_id = NEW.tenant_id) THEN
        RAISE EXCEPTION '% %: of another tenant than its case', TG_TABLE_NAME, NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER note_is_of_its_cases_tenant BEFORE INSERT ON checkpoints_note
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_tenant_of_case();
CREATE TRIGGER outside_wait_is_of_its_cases_tenant BEFORE INSERT ON checkpoints_outsidewait
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_tenant_of_case();

SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY['checkpoints_claim', 'checkpoints_note', 'checkpoints_outsidewait']::regclass[])
       AS name;

-- A case that is not closed yet belongs to the head its run stands at: nothing was committed since.
UPDATE checkpoints_case AS told SET node = run.next_node, stood_at = run.head
  FROM checkpoints_run AS run WHERE run.id = told.run_id AND told.closed_at IS NULL;
