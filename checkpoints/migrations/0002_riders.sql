-- Rolls a whole statement back when what had to go with it did not: a guard inside the statement,
-- because a single autocommit statement leaves nobody outside who could still say no.
CREATE FUNCTION kedge_must(fact boolean, what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF fact IS NOT TRUE THEN
        RAISE EXCEPTION 'refused: %', what USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN true;
END $$;
