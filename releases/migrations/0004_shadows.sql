SELECT kedge_close('releases_compared', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- What is kept of a twin is of that twin: of its live run, its series and its tenant.
CREATE FUNCTION releases_guard_compared() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM checkpoints_twin AS twin JOIN releases_release AS release ON release.id = twin.series
         WHERE twin.run_id = NEW.run_id AND twin.twin_of_id = NEW.live_id
           AND release.id = NEW.release_id AND release.tenant_id = NEW.tenant_id
           AND twin.tenant_id = NEW.tenant_id)
    THEN
        PERFORM releases_refuse('comparison', 'a_comparison_is_of_a_twin_of_its_release');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER comparison_is_of_its_twin BEFORE INSERT ON releases_compared
    FOR EACH ROW EXECUTE FUNCTION releases_guard_compared();
CREATE TRIGGER comparison_is_append_only BEFORE UPDATE OR DELETE ON releases_compared
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();

-- Nobody is asked for an effect of a shadow, so nobody can say yes to one.
CREATE FUNCTION releases_nobody_is_asked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM checkpoints_run WHERE id = NEW.run_id AND mode <> 'live') THEN
        PERFORM releases_refuse('request', 'nobody_is_asked_for_a_shadow');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER nobody_is_asked_for_a_shadow BEFORE INSERT ON approvals_approvalrequest
    FOR EACH ROW EXECUTE FUNCTION releases_nobody_is_asked();
-- split
DROP TRIGGER nobody_is_asked_for_a_shadow ON approvals_approvalrequest;
DROP FUNCTION releases_nobody_is_asked();
DROP TRIGGER comparison_is_append_only ON releases_compared;
DROP TRIGGER comparison_is_of_its_twin ON releases_compared;
DROP FUNCTION releases_guard_compared();
