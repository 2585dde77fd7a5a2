-- A plan says from the beginning what it is for, moves only forward, and starts only on the order of
-- a person who posted back its digest. Its counters are kept by the items and by nobody else.
CREATE FUNCTION execution_guard_plan() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF (NEW.id, NEW.tenant_id, NEW.number, NEW.kind, NEW.about, NEW.why, NEW.terms,
        NEW.drafted_by_id, NEW.drafted_at) IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.number,
        OLD.kind, OLD.about, OLD.why, OLD.terms, OLD.drafted_by_id, OLD.drafted_at)
        OR OLD.digest <> '' AND (NEW.digest, NEW.needs_second, NEW.foreseen) IS DISTINCT FROM
            (OLD.digest, OLD.needs_second, OLD.foreseen)
    THEN
        broken := 'a_plan_stays_what_was_reviewed';
    ELSIF pg_trigger_depth() < 2 AND (NEW.total, NEW.waiting, NEW.planned, NEW.left_out, NEW.done,
        NEW.skipped, NEW.failed, NEW.unproven) IS DISTINCT FROM (OLD.total, OLD.waiting,
        OLD.planned, OLD.left_out, OLD.done, OLD.skipped, OLD.failed, OLD.unproven)
    THEN
        broken := 'the_counters_of_a_plan_are_its_items';
    ELSIF NEW.state <> OLD.state AND NOT (OLD.state, NEW.state) IN (
        ('computing', 'ready'), ('computing', 'discarded'), ('ready', 'started'),
        ('ready', 'discarded'), ('started', 'stopped'), ('started', 'finished'),
        ('stopped', 'started'), ('stopped', 'discarded'))
    THEN
        broken := 'a_plan_moves_only_forward';
    ELSIF NEW.state <> OLD.state AND (NEW.total, NEW.waiting, NEW.planned, NEW.left_out, NEW.done,
        NEW.skipped, NEW.failed, NEW.unproven) <> (
        SELECT count(*), count(*) FILTER (WHERE state = 'waiting'),
               count(*) FILTER (WHERE state = 'planned'),
               count(*) FILTER (WHERE state = 'left_out'),
               count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'skipped'),
               count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'unproven')
          FROM execution_planitem WHERE plan_id = NEW.id)
    THEN
        broken := 'the_counters_of_a_plan_are_its_items';
    ELSIF NEW.state = 'started' AND (NEW.state, NEW.started_by_id) IS DISTINCT FROM
            (OLD.state, OLD.started_by_id) AND NOT EXISTS (
        SELECT 1 FROM execution_planorder
         WHERE plan_id = NEW.id AND user_id = NEW.started_by_id AND digest = NEW.digest
           AND said IN ('start', 'go_on'))
    THEN
        broken := 'a_plan_starts_on_the_order_of_a_person';
    ELSIF NEW.state = 'started' AND NEW.needs_second <> '' AND NOT EXISTS (
        SELECT 1 FROM execution_planorder
         WHERE plan_id = NEW.id AND user_id = NEW.seconded_by_id AND digest = NEW.digest
           AND said = 'second' AND user_id <> NEW.started_by_id)
    THEN
        broken := 'two_people_start_what_needs_a_second';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'plan % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION execution_guard_new_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'plan % violates check constraint "a_plan_begins_at_the_beginning"', NEW.id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'a_plan_begins_at_the_beginning',
            SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
END $$;

-- A plan that has ended holds no run any more.
CREATE FUNCTION execution_let_runs_of_plan_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE execution_planitem SET holds = false WHERE plan_id = NEW.id AND holds;
    RETURN NULL;
END $$;

-- An item is looked at once, carried out once, and only while its plan is at that.
CREATE FUNCTION execution_guard_planitem() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
    stands text;
BEGIN
    SELECT state INTO stands FROM execution_plan WHERE id = NEW.plan_id;
    IF TG_OP = 'INSERT' THEN
        IF stands <> 'computing' OR NEW.state NOT IN ('waiting', 'left_out')
            OR NEW.state = 'left_out' AND NEW.holds THEN
            broken := 'items_are_added_while_a_plan_is_drafted';
        END IF;
    ELSIF (NEW.plan_id, NEW.position, NEW.run_id, NEW.action_id, NEW.terms) IS DISTINCT FROM
            (OLD.plan_id, OLD.position, OLD.run_id, OLD.action_id, OLD.terms)
        OR OLD.state <> 'waiting' AND (NEW.case_id, NEW.code, NEW.sentence, NEW.was)
            IS DISTINCT FROM (OLD.case_id, OLD.code, OLD.sentence, OLD.was)
    THEN
        broken := 'an_item_stays_what_was_reviewed';
    ELSIF NEW.state <> OLD.state THEN
        IF NOT (OLD.state = 'waiting' AND NEW.state IN ('planned', 'left_out')
            OR OLD.state = 'planned' AND NEW.state IN ('done', 'skipped', 'failed', 'unproven')
            OR OLD.state = 'unproven' AND NEW.state IN ('done', 'failed'))
        THEN
            broken := 'an_item_is_carried_out_once';
        ELSIF OLD.state = 'waiting' AND stands <> 'computing'
            OR OLD.state = 'planned' AND stands <> 'started'
        THEN
            broken := 'an_item_moves_with_its_plan';
        ELSIF OLD.state = 'planned' AND NOT EXISTS (
            SELECT 1 FROM execution_planitem
             WHERE plan_id = NEW.plan_id AND run_id = NEW.run_id AND holds)
        THEN
            broken := 'a_run_is_in_one_unfinished_plan';
        ELSIF NEW.state = 'left_out' THEN
            NEW.holds := false;
        END IF;
    ELSIF NEW.holds AND NOT OLD.holds THEN
        broken := 'a_run_is_in_one_unfinished_plan';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'plan item % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION execution_count_new_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE execution_plan AS plan SET
        total = plan.total + added.n, waiting = plan.waiting + added.waiting,
        left_out = plan.left_out + added.left_out
      FROM (SELECT plan_id, count(*) AS n, count(*) FILTER (WHERE state = 'waiting') AS waiting,
                   count(*) FILTER (WHERE state = 'left_out') AS left_out
              FROM new_items GROUP BY plan_id) AS added
     WHERE plan.id = added.plan_id;
    RETURN NULL;
END $$;

CREATE FUNCTION execution_count_moved_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE execution_plan AS plan SET
        waiting = plan.waiting + moved.waiting, planned = plan.planned + moved.planned,
        left_out = plan.left_out + moved.left_out, done = plan.done + moved.done,
        skipped = plan.skipped + moved.skipped, failed = plan.failed + moved.failed,
        unproven = plan.unproven + moved.unproven
      FROM (SELECT plan_id,
                   sum(n) FILTER (WHERE state = 'waiting') AS waiting,
                   sum(n) FILTER (WHERE state = 'planned') AS planned,
                   sum(n) FILTER (WHERE state = 'left_out') AS left_out,
                   sum(n) FILTER (WHERE state = 'done') AS done,
                   sum(n) FILTER (WHERE state = 'skipped') AS skipped,
                   sum(n) FILTER (WHERE state = 'failed') AS failed,
                   sum(n) FILTER (WHERE state = 'unproven') AS unproven
              FROM (SELECT plan_id, state, -count(*) AS n FROM old_items GROUP BY 1, 2
                    UNION ALL
                    SELECT plan_id, state, count(*) FROM new_items GROUP BY 1, 2
                    UNION ALL
                    SELECT DISTINCT plan_id, unnest(ARRAY['waiting', 'planned', 'left_out', 'done',
                        'skipped', 'failed', 'unproven']), 0 FROM new_items) AS each
             GROUP BY plan_id) AS moved
     WHERE plan.id = moved.plan_id
       AND (moved.waiting, moved.planned, moved.left_out, moved.done, moved.skipped, moved.failed,
            moved.unproven) IS DISTINCT FROM (0, 0, 0, 0, 0, 0, 0);
    RETURN NULL;
END $$;

CREATE TRIGGER plan_begins_at_the_beginning BEFORE INSERT ON execution_plan
    FOR EACH ROW WHEN (NEW.state <> 'computing' OR NEW.total <> 0 OR NEW.seconded_by_id IS NOT NULL
        OR NEW.started_by_id IS NOT NULL)
    EXECUTE FUNCTION execution_guard_new_plan();
CREATE TRIGGER plan_moves_by_rule BEFORE UPDATE ON execution_plan
    FOR EACH ROW EXECUTE FUNCTION execution_guard_plan();
CREATE TRIGGER plan_that_ended_lets_go AFTER UPDATE OF state ON execution_plan
    FOR EACH ROW WHEN (NEW.state IN ('finished', 'discarded'))
    EXECUTE FUNCTION execution_let_runs_of_plan_go();
CREATE TRIGGER plan_is_never_deleted BEFORE DELETE ON execution_plan
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER plan_item_moves_by_rule BEFORE INSERT OR UPDATE ON execution_planitem
    FOR EACH ROW EXECUTE FUNCTION execution_guard_planitem();
CREATE TRIGGER new_plan_items_are_counted AFTER INSERT ON execution_planitem
    REFERENCING NEW TABLE AS new_items
    FOR EACH STATEMENT EXECUTE FUNCTION execution_count_new_items();
CREATE TRIGGER moved_plan_items_are_counted AFTER UPDATE ON execution_planitem
    REFERENCING OLD TABLE AS old_items NEW TABLE AS new_items
    FOR EACH STATEMENT EXECUTE FUNCTION execution_count_moved_items();
CREATE TRIGGER plan_item_is_never_deleted BEFORE DELETE ON execution_planitem
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER plan_order_is_append_only BEFORE UPDATE OR DELETE ON execution_planorder
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- The sweeper carries plans out where agents run, with a user that can say nothing for people. A
-- verdict it writes is one that a person gave beforehand: of an item of a started plan, in the name
-- of who ordered that. Whoever may write what people say (`config.roles`) gives verdicts at will.
CREATE FUNCTION execution_guard_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT has_table_privilege('execution_planorder', 'INSERT') AND NOT EXISTS (
        SELECT 1 FROM execution_planitem AS item
          JOIN execution_plan AS plan ON plan.id = item.plan_id
          JOIN execution_planorder AS said ON said.plan_id = plan.id
         WHERE item.case_id = NEW.case_id AND item.state = 'planned' AND plan.state = 'started'
           AND plan.started_by_id = NEW.given_by_id AND said.user_id = NEW.given_by_id
           AND said.digest = plan.digest AND said.said IN ('start', 'go_on')
           AND NEW.verdict = coalesce(item.was ->> 'verdict', ''))
    THEN
        RAISE EXCEPTION 'verdict in case % refused: no person gave it in a started plan', NEW.case_id
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER a_verdict_is_a_persons BEFORE INSERT ON checkpoints_verdict
    FOR EACH ROW EXECUTE FUNCTION execution_guard_verdict();

SELECT kedge_close('execution_plan',
    'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');
SELECT kedge_close(name, format(
    'EXISTS (SELECT 1 FROM execution_plan AS its WHERE its.id = %s.plan_id)', name))
  FROM unnest(ARRAY['execution_planitem', 'execution_planorder']::regclass[]) AS name;
