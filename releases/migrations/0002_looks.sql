SELECT kedge_close('releases_look', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- A look is of the release's own tenant and policy, and of where it stands; it stays what was seen.
CREATE FUNCTION releases_guard_look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM releases_release WHERE id = NEW.release_id
        AND (tenant_id, policy_digest, last_move)
          = (NEW.tenant_id, NEW.policy_digest, NEW.after_move)) THEN
        PERFORM releases_refuse('look', 'a_look_is_of_its_release_as_it_stands');
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER look_is_of_its_release BEFORE INSERT ON releases_look
    FOR EACH ROW EXECUTE FUNCTION releases_guard_look();
CREATE TRIGGER look_is_append_only BEFORE UPDATE OR DELETE ON releases_look
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
-- split
DROP TRIGGER look_is_append_only ON releases_look;
DROP TRIGGER look_is_of_its_release ON releases_look;
DROP FUNCTION releases_guard_look();
