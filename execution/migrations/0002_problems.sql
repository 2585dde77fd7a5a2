-- What a problem is never changes, and what people did about it is only added to.
-- Not by `kedge_refuse_change`: whoever changes its state locks the row, which takes UPDATE.
CREATE FUNCTION kedge_keep_problem() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of problem % refused: what a problem is never changes', TG_OP, OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER problem_is_immutable BEFORE UPDATE OR DELETE ON execution_problem
    FOR EACH ROW EXECUTE FUNCTION kedge_keep_problem();
CREATE TRIGGER problem_change_is_append_only BEFORE UPDATE OR DELETE ON execution_problemchange
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

CREATE FUNCTION kedge_guard_tenant_of_problem() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM execution_problem
                    WHERE id = NEW.problem_id AND tenant_id = NEW.tenant_id) THEN
        RAISE EXCEPTION '% of problem % refused: the problem is another tenant''s',
            TG_TABLE_NAME, NEW.problem_id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER run_counts_to_a_problem_of_its_tenant BEFORE INSERT ON execution_problemrun
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_tenant_of_problem();
CREATE TRIGGER problem_change_is_of_its_tenant BEFORE INSERT ON execution_problemchange
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_tenant_of_problem();

-- That a run counts to another problem, or to none, follows from what the record says. Written down
-- with the change itself, so that nothing is missed; read by `execution.problems.sorting`. A commit
-- touches none of these columns and pays nothing.
CREATE FUNCTION kedge_unsorted_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO execution_unsorted (tenant_id, run_id) VALUES (NEW.tenant_id, NEW.id);
    RETURN NULL;
END $$;
CREATE FUNCTION kedge_unsorted_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO execution_unsorted (tenant_id, run_id) VALUES (NEW.tenant_id, NEW.run_id);
    RETURN NULL;
END $$;
CREATE TRIGGER run_in_trouble_is_sorted AFTER UPDATE OF status ON checkpoints_run
    FOR EACH ROW WHEN (NEW.status = 'failed'
        OR NEW.reason IN ('for_retry', 'for_look_up', 'for_settling', 'for_door'))
    EXECUTE FUNCTION kedge_unsorted_run();
CREATE TRIGGER case_is_sorted AFTER INSERT OR UPDATE OF decided_at, closed_at ON checkpoints_case
    FOR EACH ROW EXECUTE FUNCTION kedge_unsorted_case();

-- What stood open before there were problems.
INSERT INTO execution_unsorted (tenant_id, run_id)
SELECT DISTINCT tenant_id, run_id FROM checkpoints_case WHERE closed_at IS NULL
UNION
SELECT tenant_id, id FROM checkpoints_run
 WHERE status = 'waiting' AND reason IN ('for_retry', 'for_look_up', 'for_settling', 'for_door')
    OR status = 'failed' AND finished_at > now() - interval '7 days';

SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY[
    'execution_problem', 'execution_problemrun', 'execution_problemchange', 'execution_unsorted'
  ]::regclass[]) AS name;
