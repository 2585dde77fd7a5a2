-- What was proposed never changes; a proposal ends once.
CREATE FUNCTION kedge_guard_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF (NEW.case_id, NEW.verdict, NEW.reason, NEW.evidence, NEW.detail, NEW.terms, NEW.state,
        NEW.demanded_by, NEW.proposed_by_id, NEW.proposed_at) IS DISTINCT FROM (OLD.case_id,
        OLD.verdict, OLD.reason, OLD.evidence, OLD.detail, OLD.terms, OLD.state, OLD.demanded_by,
        OLD.proposed_by_id, OLD.proposed_at)
    THEN
        broken := 'what_was_proposed_never_changes';
    ELSIF OLD.ended <> '' THEN
        broken := 'a_proposal_ends_once';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'proposal % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER proposal_ends_once BEFORE UPDATE ON checkpoints_proposedverdict
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_proposal();
CREATE TRIGGER proposal_is_never_deleted BEFORE DELETE ON checkpoints_proposedverdict
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();
CREATE TRIGGER superseding_is_append_only BEFORE UPDATE OR DELETE ON checkpoints_superseded
    FOR EACH ROW EXECUTE FUNCTION kedge_refuse_change();

-- A verdict of two people is word for word what the first proposed and the second agreed on; and
-- while something is proposed, nobody decides beside it.
CREATE FUNCTION kedge_guard_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    broken text := '';
BEGIN
    IF NEW.proposal_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM checkpoints_proposedverdict AS proposed
         WHERE proposed.id = NEW.proposal_id AND proposed.ended = 'agreed'
           AND (proposed.case_id, proposed.verdict, proposed.reason, proposed.evidence,
                proposed.detail, proposed.proposed_by_id, proposed.ended_by_id)
             = (NEW.case_id, NEW.verdict, NEW.reason, NEW.evidence, NEW.detail - 'undone_by',
                NEW.given_by_id, NEW.agreed_by_id))
    THEN
        broken := 'two_people_agree_on_the_same_verdict';
    ELSIF EXISTS (
        SELECT 1 FROM checkpoints_proposedverdict WHERE case_id = NEW.case_id AND ended = '')
    THEN
        broken := 'no_verdict_beside_a_proposal';
    END IF;
    IF broken <> '' THEN
        RAISE EXCEPTION 'verdict % violates check constraint "%"', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken,
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER verdict_takes_its_people BEFORE INSERT ON checkpoints_verdict
    FOR EACH ROW EXECUTE FUNCTION kedge_guard_verdict();

SELECT kedge_close(child::regclass, format(
    'EXISTS (SELECT 1 FROM %s AS its WHERE its.%I = %s.%I)', parent, key, child, pointer))
  FROM (VALUES
    ('checkpoints_proposedverdict', 'case_id', 'checkpoints_case', 'id'),
    ('checkpoints_superseded', 'verdict_id', 'checkpoints_verdict', 'id')
  ) AS hangs (child, pointer, parent, key);

-- As before; a record that is found to be behind is a case of a run that has ended, too.
CREATE OR REPLACE FUNCTION kedge_held_iff_open_case() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    the_run uuid;
    is_held boolean;
    has_case boolean;
BEGIN
    IF TG_TABLE_NAME = 'checkpoints_run' THEN the_run := NEW.id; ELSE the_run := NEW.run_id; END IF;
    SELECT status = 'held' INTO is_held FROM checkpoints_run WHERE id = the_run;
    SELECT EXISTS (
        SELECT 1 FROM checkpoints_case
        WHERE run_id = the_run AND decided_at IS NULL AND closed_at IS NULL
          AND kind NOT IN ('duplicate_effect', 'contradicted', 'record_behind')
    ) INTO has_case;
    IF is_held AND NOT EXISTS (
        SELECT 1 FROM checkpoints_case
        WHERE run_id = the_run AND decided_at IS NULL AND closed_at IS NULL
    ) THEN
        RAISE EXCEPTION 'run % is held without an open case', the_run
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF has_case AND NOT is_held THEN
        RAISE EXCEPTION 'run % has an open case and is not held', the_run
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

-- split
CREATE OR REPLACE FUNCTION kedge_held_iff_open_case() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    the_run uuid;
    is_held boolean;
    has_case boolean;
BEGIN
    IF TG_TABLE_NAME = 'checkpoints_run' THEN the_run := NEW.id; ELSE the_run := NEW.run_id; END IF;
    SELECT status = 'held' INTO is_held FROM checkpoints_run WHERE id = the_run;
    SELECT EXISTS (
        SELECT 1 FROM checkpoints_case
        WHERE run_id = the_run AND decided_at IS NULL AND closed_at IS NULL
          AND kind NOT IN ('duplicate_effect', 'contradicted')
    ) INTO has_case;
    IF is_held AND NOT EXISTS (
        SELECT 1 FROM checkpoints_case
        WHERE run_id = the_run AND decided_at IS NULL AND closed_at IS NULL
    ) THEN
        RAISE EXCEPTION 'run % is held without an open case', the_run
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF has_case AND NOT is_held THEN
        RAISE EXCEPTION 'run % has an open case and is not held', the_run
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
