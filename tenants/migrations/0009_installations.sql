-- Which PostgreSQL this is, now. The timeline is read from the name of the WAL file: after a
-- promotion the control file still says the one before.
CREATE FUNCTION kedge_identity(OUT system text, OUT timeline integer) LANGUAGE sql STABLE AS $$
SELECT (SELECT system_identifier::text FROM pg_control_system()),
       ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer
$$;

-- Whether the record is where it was written: no restored dump, no clone that was promoted, no
-- promoted standby. What cannot be compared is not; where no installation is, nothing was written.
CREATE FUNCTION kedge_is_itself() RETURNS boolean LANGUAGE sql STABLE AS $$
SELECT NOT EXISTS (
    SELECT 1 FROM tenants_installation AS stored, kedge_identity() AS live
     WHERE (stored.system_identifier, stored.timeline) IS DISTINCT FROM (live.system, live.timeline))
$$;

CREATE FUNCTION kedge_identify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'who this installation is stays on record'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        -- One that says where it was written is a restored one.
        IF NEW.system_identifier = '' THEN
            SELECT system, timeline INTO NEW.system_identifier, NEW.timeline FROM kedge_identity();
        END IF;
        RETURN NEW;
    END IF;
    -- By whoever lifts the stop that stands for it: by its trigger, and by nobody's own statement.
    IF (NEW.installation_id, NEW.system_identifier, NEW.timeline) IS DISTINCT FROM
       (OLD.installation_id, OLD.system_identifier, OLD.timeline) AND pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'where the record is moves only as two people lift the stop that stands for it'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

UPDATE tenants_installation SET (system_identifier, timeline) =
    (SELECT live.system, live.timeline FROM kedge_identity() AS live);

CREATE TRIGGER installation_moves_only_by_lifting BEFORE INSERT OR UPDATE OR DELETE
    ON tenants_installation
    FOR EACH ROW EXECUTE FUNCTION kedge_identify();
-- split
DROP TRIGGER installation_moves_only_by_lifting ON tenants_installation;
DROP FUNCTION kedge_identify();
DROP FUNCTION kedge_is_itself();
DROP FUNCTION kedge_identity();
