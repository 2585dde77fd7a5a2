SELECT kedge_close('checkpoints_rungstep', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- Where a combo stands with a tool at a tenant. Without a step: at the top where new runs get it, or
-- where the tenant never released the task; else at the bottom.
CREATE FUNCTION kedge_rung(of_tenant bigint, of_combo bigint, of_tool text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT after FROM checkpoints_rungstep
          WHERE (tenant_id, combo_id, tool) = (of_tenant, of_combo, of_tool)
          ORDER BY number DESC LIMIT 1),
        (SELECT CASE WHEN route.stable_id = combo.id THEN 'write' ELSE 'fake' END
           FROM checkpoints_combo AS combo
           JOIN checkpoints_route AS route USING (task_type)
          WHERE combo.id = of_combo AND route.tenant_id = of_tenant),
        'write')
$$;

-- One rung at a time leads up, with what was shown for it; down leads every step.
CREATE FUNCTION kedge_guard_rung_step() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ladder text[] := ARRAY['fake', 'read', 'dry_run', 'write'];
    stood text := kedge_rung(NEW.tenant_id, NEW.combo_id, NEW.tool);
    broken text := '';
BEGIN
    IF NEW.number <> 1 + coalesce((SELECT max(number) FROM checkpoints_rungstep
        WHERE (tenant_id, combo_id, tool) = (NEW.tenant_id, NEW.combo_id, NEW.tool)), 0)
    THEN
        broken := 'steps_of_a_ladder_follow_each_other';
    ELSIF NEW.before = '' THEN
        IF NEW.number > 1 OR NEW.after <> 'write' OR NOT EXISTS (SELECT FROM checkpoints_run
                WHERE (tenant_id, combo_id, mode) = (NEW.tenant_id, NEW.combo_id, 'live'))
            AND NOT EXISTS (SELECT FROM checkpoints_route
                WHERE (tenant_id, stable_id) = (NEW.tenant_id, NEW.combo_id))
        THEN
            broken := 'only_what_ran_before_begins_at_the_top';
        END IF;
    ELSIF NEW.before <> stood THEN
        broken := 'a_step_begins_where_it_stood';
    ELSIF array_position(ladder, NEW.after) > array_position(ladder, stood) AND (
        array_position(ladder, NEW.after) <> array_position(ladder, stood) + 1
        OR length(NEW.evidence) = 0
        OR NEW.digest <> encode(sha256(NEW.evidence), 'hex'))
    THEN
        broken := 'one_rung_at_a_time_with_its_evidence';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'step on the ladder of % violates check constraint "%"', NEW.tool, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER rung_step_holds BEFORE INSERT ON checkpoints_rungstep
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_rung_step();
CREATE TRIGGER rung_step_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_rungstep
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
-- split
DROP TRIGGER rung_step_is_append_only ON checkpoints_rungstep;
DROP TRIGGER rung_step_holds ON checkpoints_rungstep;
DROP FUNCTION kedge_guard_rung_step();
DROP FUNCTION kedge_rung(bigint, bigint, text);
