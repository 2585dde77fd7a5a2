-- As before; and a combo that is declared to succeed another stands where that one stands, as long as
-- nobody took it a step: it takes over runs that wait for their effects.
CREATE OR REPLACE FUNCTION kedge_rung(of_tenant bigint, of_combo bigint, of_tool text) RETURNS text
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE line(combo_id, generation) AS (
        SELECT of_combo, 0
         UNION
        SELECT succession.of_id, line.generation + 1
          FROM line JOIN checkpoints_successor AS succession ON succession.combo_id = line.combo_id
         WHERE line.generation < 8
    )
    SELECT coalesce(
        (SELECT step.after FROM line
           JOIN checkpoints_rungstep AS step USING (combo_id)
          WHERE step.tenant_id = of_tenant AND step.tool = of_tool
          ORDER BY line.generation, step.combo_id DESC, step.number DESC LIMIT 1),
        (SELECT CASE WHEN route.stable_id IN (SELECT combo_id FROM line) THEN 'write' ELSE 'fake' END
           FROM checkpoints_combo AS combo
           JOIN checkpoints_route AS route USING (task_type)
          WHERE combo.id = of_combo AND route.tenant_id = of_tenant),
        'write')
$$;
