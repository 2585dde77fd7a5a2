SELECT kedge_close('checkpoints_route', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- A run of another task would be handed a state that its code cannot read; a salt that changes under
-- a candidate would move keys from one arm to the other.
CREATE FUNCTION kedge_route_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF EXISTS (SELECT FROM checkpoints_combo
                WHERE id IN (NEW.stable_id, NEW.candidate_id) AND task_type <> NEW.task_type)
    THEN
        broken := 'a_route_is_among_combos_of_its_task';
    ELSIF TG_OP = 'UPDATE' AND (NEW.tenant_id, NEW.task_type) <> (OLD.tenant_id, OLD.task_type) THEN
        broken := 'a_route_stays_where_it_is';
    ELSIF TG_OP = 'UPDATE' AND NEW.candidate_id = OLD.candidate_id AND NEW.salt <> OLD.salt
        AND OLD.share > 0
    THEN
        broken := 'a_key_stays_in_its_arm';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'route % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER route_holds BEFORE INSERT OR UPDATE ON checkpoints_route
    FOR EACH ROW EXECUTE FUNCTION kedge_route_holds();
-- split
DROP TRIGGER route_holds ON checkpoints_route;
DROP FUNCTION kedge_route_holds();
