-- Run once, by its owner, in a database that Kedge writes to. One row per action, put there by the
-- transaction of the effect itself or by the void that made it impossible: whichever comes first.
CREATE TABLE IF NOT EXISTS kedge_outcomes (
    action_id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('effect', 'void')),
    attempt_id uuid NOT NULL,
    key text NOT NULL,
    tool text NOT NULL,
    receipt jsonb,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT a_tombstone_has_no_receipt CHECK (kind = 'effect' OR receipt IS NULL)
);

CREATE UNIQUE INDEX IF NOT EXISTS one_effect_per_key ON kedge_outcomes (key) WHERE kind = 'effect';

-- The receipt is known at the end of the transaction that took the place at its beginning.
CREATE OR REPLACE FUNCTION kedge_outcome_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.receipt IS NULL AND OLD.kind = 'effect'
        AND (NEW.action_id, NEW.kind, NEW.attempt_id, NEW.key, NEW.tool, NEW.at)
            IS NOT DISTINCT FROM (OLD.action_id, OLD.kind, OLD.attempt_id, OLD.key, OLD.tool, OLD.at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an outcome stands as it is';
END
$$;

CREATE OR REPLACE TRIGGER kedge_outcome_stands BEFORE UPDATE OR DELETE ON kedge_outcomes
    FOR EACH ROW EXECUTE FUNCTION kedge_outcome_stands();
