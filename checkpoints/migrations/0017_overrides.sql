SELECT kedge_close('checkpoints_override', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- Who sent which key where and why stays; it begins in force, where a route is, and ends once.
CREATE FUNCTION kedge_guard_override() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.ended_at IS NOT NULL OR NOT EXISTS (SELECT FROM checkpoints_route
            WHERE (tenant_id, task_type) = (NEW.tenant_id, NEW.task_type)) THEN
            RAISE EXCEPTION 'override violates check constraint "an_override_is_of_a_route"'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'an_override_is_of_a_route';
        END IF;
    ELSIF OLD.ended_at IS NOT NULL OR (NEW.id, NEW.tenant_id, NEW.task_type, NEW.business_key,
            NEW.arm, NEW.why, NEW.made_by_id, NEW.made_at)
        IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.task_type, OLD.business_key,
            OLD.arm, OLD.why, OLD.made_by_id, OLD.made_at) THEN
        RAISE EXCEPTION 'override violates check constraint "an_override_stays_and_ends_once"'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_override_stays_and_ends_once';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER override_stays BEFORE INSERT OR UPDATE ON checkpoints_override
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_override();
CREATE TRIGGER override_is_kept BEFORE DELETE ON checkpoints_override
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
-- split
DROP TRIGGER override_is_kept ON checkpoints_override;
DROP TRIGGER override_stays ON checkpoints_override;
DROP FUNCTION kedge_guard_override();
