CREATE TRIGGER audit_head_is_append_only BEFORE UPDATE OR DELETE ON tenants_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();

CREATE TRIGGER audit_row_is_not_emptied BEFORE TRUNCATE ON tenants_auditrow
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();
CREATE TRIGGER audit_seal_is_not_emptied BEFORE TRUNCATE ON tenants_auditseal
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();
CREATE TRIGGER audit_head_is_not_emptied BEFORE TRUNCATE ON tenants_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_refuse_change();

-- Chains that have no signed head yet get one.
INSERT INTO tenants_auditunsigned (tenant_id, rows, since)
    SELECT tenant_id, count(*), now() FROM tenants_auditseal GROUP BY tenant_id;

-- Rights that change by any other way than a verb (a bulk change, the shell, raw SQL) leave a row
-- too. A verb says who and why itself, and says here that it does. No wall against whoever owns the
-- tables: a net for what was forgotten.
CREATE FUNCTION tenants_is_told() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(current_setting('kedge.told', true), '') = 'yes'
$$;

CREATE FUNCTION tenants_refuse_other_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A right is given or taken, never turned into another.'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- TG_ARGV: the verb; the column of whose right it is; what the subject is called.
CREATE FUNCTION tenants_audit_rights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT tenants_is_told() THEN
        INSERT INTO tenants_auditrow
            (tenant_id, actor_kind, actor_id, actor_name, verb, subject, detail)
        SELECT changed.content_object_id, 'machine', 'database', session_user, TG_ARGV[0],
               TG_ARGV[2] || ':' || (to_jsonb(changed) ->> TG_ARGV[1]),
               jsonb_build_object('rights', jsonb_agg(permission.codename ORDER BY permission.codename))
          FROM changed JOIN auth_permission AS permission ON permission.id = changed.permission_id
         GROUP BY changed.content_object_id, to_jsonb(changed) ->> TG_ARGV[1];
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER right_changed_is_refused BEFORE UPDATE ON tenants_tenantuserobjectpermission
    FOR EACH ROW EXECUTE FUNCTION tenants_refuse_other_right();
CREATE TRIGGER right_given_is_audited AFTER INSERT ON tenants_tenantuserobjectpermission
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION tenants_audit_rights('give_right', 'user_id', 'person');
CREATE TRIGGER right_taken_is_audited AFTER DELETE ON tenants_tenantuserobjectpermission
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION tenants_audit_rights('take_right', 'user_id', 'person');
CREATE TRIGGER right_of_a_group_changed_is_refused
    BEFORE UPDATE ON tenants_tenantgroupobjectpermission
    FOR EACH ROW EXECUTE FUNCTION tenants_refuse_other_right();
CREATE TRIGGER right_of_a_group_given_is_audited AFTER INSERT ON tenants_tenantgroupobjectpermission
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION tenants_audit_rights('give_right', 'group_id', 'group');
CREATE TRIGGER right_of_a_group_taken_is_audited AFTER DELETE ON tenants_tenantgroupobjectpermission
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION tenants_audit_rights('take_right', 'group_id', 'group');

-- Whoever joins a group gets its rights at every tenant: the installation's chain.
CREATE FUNCTION tenants_audit_groups() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT tenants_is_told() THEN
        INSERT INTO tenants_auditrow
            (tenant_id, actor_kind, actor_id, actor_name, verb, subject, detail)
        SELECT NULL, 'machine', 'database', session_user, TG_ARGV[0], 'person:' || changed.user_id,
               jsonb_build_object('groups', jsonb_agg(changed.group_id ORDER BY changed.group_id))
          FROM changed GROUP BY changed.user_id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER joining_a_group_is_audited AFTER INSERT ON tenants_user_groups
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION tenants_audit_groups('join_group');
CREATE TRIGGER leaving_a_group_is_audited AFTER DELETE ON tenants_user_groups
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION tenants_audit_groups('leave_group');

CREATE FUNCTION tenants_audit_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT tenants_is_told() THEN
        INSERT INTO tenants_auditrow
            (tenant_id, actor_kind, actor_id, actor_name, verb, subject, detail)
        VALUES (NULL, 'machine', 'database', session_user,
                CASE WHEN NEW.is_active THEN 'activate_person' ELSE 'deactivate_person' END,
                'person:' || NEW.id, '{}');
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER activity_is_audited AFTER UPDATE OF is_active ON tenants_user
    FOR EACH ROW WHEN (OLD.is_active IS DISTINCT FROM NEW.is_active)
    EXECUTE FUNCTION tenants_audit_activity();
