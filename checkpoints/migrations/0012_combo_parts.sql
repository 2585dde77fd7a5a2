-- What of a combo the worker itself must be. Two combos of one part differ in texts alone, which
-- every worker reads from the combo: their prompts, rules, settings, the version of their data and
-- the name of their model. Whatever else a manifest says counts, also what nobody has heard of yet.
-- A manifest that is no object, or not JSON, is a part of its own.
CREATE FUNCTION kedge_code_part(manifest bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    said jsonb;
BEGIN
    said := convert_from(manifest, 'UTF8')::jsonb;
    said := said - ARRAY['prompts', 'rules', 'settings', 'model', 'versions']
        || jsonb_build_object('versions', (said -> 'versions') - 'data',
            'model host', regexp_replace(said ->> 'model', '^.* at ', ''));
    RETURN sha256(convert_to(said::text, 'UTF8'));
EXCEPTION WHEN others THEN
    RETURN sha256(manifest);
END $$;

-- split
CREATE TRIGGER registration_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_registration
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
