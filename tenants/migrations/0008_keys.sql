CREATE TRIGGER erased_person_key_stays_erased BEFORE UPDATE ON tenants_personkey
    FOR EACH ROW WHEN (OLD.erased_at IS NOT NULL) EXECUTE FUNCTION tenants_keys_refuse_change();
