SELECT kedge_close('reconciliation_door', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

-- A run may wait for a door. The list stands in a function of the record that others extend as well,
-- so the word is added to whatever it says by now.
CREATE FUNCTION kedge_reasons_of_waiting(before text, after text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    was text := pg_get_functiondef('kedge_run_facts'::regproc);
BEGIN
    IF strpos(was, before) = 0 THEN
        RAISE EXCEPTION 'kedge_run_facts() does not name %', before;
    END IF;
    EXECUTE replace(was, before, after);
END $$;
SELECT kedge_reasons_of_waiting('''for_stop''', '''for_stop'', ''for_door''');
