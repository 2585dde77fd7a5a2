SELECT kedge_close('releases_usualpolicy', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- What was said stays; who says another thing adds a row.
CREATE TRIGGER usual_policy_is_append_only BEFORE UPDATE OR DELETE ON releases_usualpolicy
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();

-- A release that names what its tenant said carries exactly that, as it stands then, and for life.
CREATE FUNCTION releases_guard_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.policy_from_id IS DISTINCT FROM OLD.policy_from_id THEN
            PERFORM releases_refuse('release', 'a_release_stays_what_it_is');
        END IF;
    ELSIF NEW.policy_from_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM releases_usualpolicy AS said
         WHERE said.id = NEW.policy_from_id AND said.tenant_id = NEW.tenant_id
           AND said.task_type IN ('', NEW.task_type)
           AND (said.policy, said.policy_digest) = (NEW.policy, NEW.policy_digest)
           AND NOT EXISTS (SELECT FROM releases_usualpolicy AS newer
                WHERE newer.tenant_id = said.tenant_id AND newer.task_type = said.task_type
                  AND newer.id > said.id))
    THEN
        PERFORM releases_refuse('release', 'a_release_takes_what_its_tenant_says');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER release_takes_its_policy BEFORE INSERT OR UPDATE ON releases_release
    FOR EACH ROW EXECUTE FUNCTION releases_guard_policy();
-- split
DROP TRIGGER release_takes_its_policy ON releases_release;
DROP FUNCTION releases_guard_policy();
DROP TRIGGER usual_policy_is_append_only ON releases_usualpolicy;
