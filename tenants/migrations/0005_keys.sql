CREATE FUNCTION tenants_keys_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A data key is never deleted, and an erased one stays erased: % is refused.',
        TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER data_key_is_never_deleted BEFORE DELETE ON tenants_datakey
    FOR EACH STATEMENT EXECUTE FUNCTION tenants_keys_refuse_change();
CREATE TRIGGER erased_data_key_stays_erased BEFORE UPDATE ON tenants_datakey
    FOR EACH ROW WHEN (OLD.erased_at IS NOT NULL) EXECUTE FUNCTION tenants_keys_refuse_change();
