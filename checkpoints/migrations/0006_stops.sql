-- Why a stop was set and what it is for never changes, and it is lifted by two people: whoever
-- writes the row, by whatever way, needs their confirmed lifting first.
CREATE FUNCTION kedge_guard_stop() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF (NEW.tenant_id, NEW.task_type, NEW.combo_id, NEW.tool, NEW.lock, NEW.why, NEW.stopped_by,
        NEW.stopped_at) IS DISTINCT FROM (OLD.tenant_id, OLD.task_type, OLD.combo_id, OLD.tool,
        OLD.lock, OLD.why, OLD.stopped_by, OLD.stopped_at)
    THEN
        broken := 'a_stop_never_changes';
    ELSIF OLD.lifted_at IS NOT NULL
        AND (NEW.lifted_at, NEW.lifted_by) IS DISTINCT FROM (OLD.lifted_at, OLD.lifted_by)
    THEN
        broken := 'a_lifted_stop_stays_lifted';
    ELSIF OLD.lifted_at IS NULL AND NEW.lifted_at IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM checkpoints_lifting
         WHERE stop_id = NEW.id AND ended = 'confirmed' AND confirmed_by_id <> proposed_by_id)
    THEN
        broken := 'a_stop_is_lifted_by_two_people';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'stop % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER stop_is_lifted_by_two_people BEFORE UPDATE ON checkpoints_stop
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_stop();
CREATE TRIGGER stop_is_never_deleted BEFORE DELETE ON checkpoints_stop
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER call_out_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_callout
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- Who proposed what stands; a lifting ends once, and only in time. Its pace goes on afterwards.
CREATE FUNCTION kedge_guard_lifting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF (NEW.stop_id, NEW.why, NEW.per_minute, NEW.proposed_by_id, NEW.proposed_at, NEW.expires_at)
        IS DISTINCT FROM (OLD.stop_id, OLD.why, OLD.per_minute, OLD.proposed_by_id,
            OLD.proposed_at, OLD.expires_at)
        OR OLD.ended <> '' AND (NEW.ended, NEW.ended_at, NEW.ended_by, NEW.confirmed_by_id)
            IS DISTINCT FROM (OLD.ended, OLD.ended_at, OLD.ended_by, OLD.confirmed_by_id)
    THEN
        broken := 'a_lifting_ends_once';
    ELSIF OLD.ended = '' AND NEW.ended = 'confirmed' AND NEW.expires_at <= clock_timestamp() THEN
        broken := 'a_lifting_is_confirmed_in_time';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'lifting % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER lifting_ends_once BEFORE UPDATE ON checkpoints_lifting
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_lifting();
CREATE TRIGGER lifting_is_never_deleted BEFORE DELETE ON checkpoints_lifting
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- Which of these people are active and hold a right at every tenant there is. With the owner's
-- eyes: a caller who is shown fewer tenants must not count as one who may act at all of them.
CREATE FUNCTION kedge_who_may_everywhere(codename text, people bigint[]) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
SELECT person.id FROM tenants_user AS person
 WHERE person.id = ANY(people) AND person.is_active AND person.kind = 'person'
   AND EXISTS (SELECT 1 FROM tenants_tenant)
   AND NOT EXISTS (
       SELECT 1 FROM tenants_tenant AS tenant WHERE NOT EXISTS (
           SELECT 1 FROM auth_permission AS permission
             JOIN django_content_type AS kind ON kind.id = permission.content_type_id
            WHERE kind.app_label = 'tenants' AND kind.model = 'tenant'
              AND permission.codename = $1
              AND (EXISTS (
                    SELECT 1 FROM tenants_tenantuserobjectpermission AS own
                     WHERE own.user_id = person.id AND own.permission_id = permission.id
                       AND own.content_object_id = tenant.id)
                OR EXISTS (
                    SELECT 1 FROM tenants_tenantgroupobjectpermission AS shared
                      JOIN tenants_user_groups AS member ON member.group_id = shared.group_id
                     WHERE member.user_id = person.id AND shared.permission_id = permission.id
                       AND shared.content_object_id = tenant.id))))
$$;
