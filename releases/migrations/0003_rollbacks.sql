SELECT kedge_close(name, 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])')
  FROM unnest(ARRAY['releases_rollback', 'releases_rollbackorder', 'releases_rollbackrun',
      'releases_rollbackchoice', 'releases_outstandingeffect',
      'releases_effectacceptance']::regclass[]) AS name;

-- What is decisive stays; phases follow each other one by one; it starts on the word of people who
-- posted back its digest, or by the policy of a release that no machine rolled back before; traffic is
-- where it was before anything is reconciled; and it closes only when nothing is open.
CREATE FUNCTION releases_guard_rollback() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    phases CONSTANT text[] := ARRAY['planned', 'stopping', 'holding', 'restoring', 'reconciling',
        'releasing', 'closing', 'closed'];
    its releases_release;
    broken text := '';
BEGIN
    SELECT * INTO its FROM releases_release WHERE id = NEW.release_id;
    IF TG_OP = 'INSERT' THEN
        IF (NEW.phase, NEW.ended) <> ('planned', '') OR NEW.started_at IS NOT NULL
            OR NEW.started_by_id IS NOT NULL OR NEW.paused_at IS NOT NULL
            OR (NEW.tenant_id, NEW.from_combo_id, NEW.to_combo_id)
                IS DISTINCT FROM (its.tenant_id, its.candidate_id, its.stable_id)
        THEN
            PERFORM releases_refuse('rollback', 'a_rollback_begins_as_a_plan_of_its_release');
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.ended <> '' OR (NEW.id, NEW.tenant_id, NEW.release_id, NEW.number, NEW.from_combo_id,
        NEW.to_combo_id, NEW.shown, NEW.digest, NEW.choices, NEW.beside, NEW.why, NEW.needs_second,
        NEW.proposed_by_id, NEW.actor, NEW.proposed_at, NEW.expires_at)
        IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.release_id, OLD.number, OLD.from_combo_id,
        OLD.to_combo_id, OLD.shown, OLD.digest, OLD.choices, OLD.beside, OLD.why, OLD.needs_second,
        OLD.proposed_by_id, OLD.actor, OLD.proposed_at, OLD.expires_at)
        OR OLD.phase <> 'planned' AND (NEW.started_by_id, NEW.started_at)
            IS DISTINCT FROM (OLD.started_by_id, OLD.started_at)
    THEN
        broken := 'a_rollback_stays_what_was_shown';
    ELSIF NEW.phase = OLD.phase THEN
        RETURN NEW;
    ELSIF array_position(phases, NEW.phase::text) <> array_position(phases, OLD.phase::text) + 1 THEN
        broken := 'the_phases_of_a_rollback_follow_each_other';
    ELSIF OLD.paused_at IS NOT NULL THEN
        broken := 'a_paused_rollback_stands';
    ELSIF OLD.phase = 'planned' THEN
        IF NEW.expires_at <= clock_timestamp() THEN
            broken := 'an_expired_rollback_is_not_started';
        ELSIF NEW.started_by_id IS NULL AND (NEW.proposed_by_id IS NOT NULL OR its.is_frozen
            OR convert_from(its.policy, 'UTF8')::jsonb ->> 'on_stop' IS DISTINCT FROM 'roll_back'
            AND convert_from(its.policy, 'UTF8')::jsonb ->> 'on_unsafe' = 'propose')
            OR NEW.started_by_id IS NOT NULL AND NOT EXISTS (SELECT FROM releases_rollbackorder
                WHERE rollback_id = NEW.id AND said = 'start' AND digest = NEW.digest
                  AND user_id = NEW.started_by_id)
        THEN
            broken := 'a_rollback_starts_on_the_word_of_a_person';
        ELSIF NEW.needs_second AND NEW.started_by_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM releases_rollbackorder WHERE rollback_id = NEW.id AND said = 'second'
               AND digest = NEW.digest AND user_id <> NEW.started_by_id)
        THEN
            broken := 'two_people_roll_back_what_needs_a_second';
        END IF;
    ELSIF OLD.phase IN ('stopping', 'holding') AND NOT EXISTS (SELECT FROM checkpoints_stop
        WHERE tenant_id = NEW.tenant_id AND combo_id = NEW.from_combo_id AND lifted_at IS NULL
          AND lock = CASE OLD.phase WHEN 'stopping' THEN 'new_runs' ELSE 'effects' END)
    THEN
        broken := 'a_rollback_stops_the_combo_first';
    ELSIF OLD.phase = 'restoring' AND (its.place <> 'stopped' OR NOT EXISTS (
        SELECT FROM checkpoints_route WHERE tenant_id = NEW.tenant_id
           AND task_type = its.task_type AND stable_id = NEW.to_combo_id
           AND candidate_id IS DISTINCT FROM NEW.from_combo_id))
    THEN
        broken := 'a_rollback_restores_the_whole_combo';
    ELSIF NEW.phase = 'closed' AND (
        EXISTS (SELECT FROM releases_outstandingeffect
            WHERE rollback_id = NEW.id AND signed_off = '')
        OR EXISTS (SELECT FROM releases_rollbackrun WHERE rollback_id = NEW.id AND ended = '')
        OR EXISTS (SELECT FROM reconciliation_action AS effect
            JOIN checkpoints_checkpoint AS proposed
              ON (proposed.run_id, proposed.seq) = (effect.run_id, effect.proposed_seq)
            WHERE effect.run_id IN (
                SELECT id FROM checkpoints_run
                 WHERE tenant_id = NEW.tenant_id AND combo_id = NEW.from_combo_id AND mode = 'live'
                 UNION ALL SELECT run_id FROM releases_rollbackrun WHERE rollback_id = NEW.id)
              AND proposed.combo_id = NEW.from_combo_id AND effect.proposed_at >= its.begun_at
              AND NOT EXISTS (SELECT FROM releases_outstandingeffect
                  WHERE rollback_id = NEW.id AND action_id = effect.id)))
    THEN
        broken := 'a_rollback_closes_when_nothing_is_open';
    END IF;
    IF broken <> '' THEN
        PERFORM releases_refuse('rollback', broken);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rollback_moves_by_rule BEFORE INSERT OR UPDATE ON releases_rollback
    FOR EACH ROW EXECUTE FUNCTION releases_guard_rollback();

CREATE FUNCTION releases_let_runs_of_rollback_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE releases_rollbackrun SET holds = false WHERE rollback_id = NEW.id AND holds;
    RETURN NULL;
END $$;
CREATE TRIGGER rollback_that_ended_lets_go AFTER UPDATE OF ended ON releases_rollback
    FOR EACH ROW WHEN (NEW.ended <> '') EXECUTE FUNCTION releases_let_runs_of_rollback_go();

-- What is chosen for a run is what people said yes to for its kind, or what one of them chose for it.
CREATE FUNCTION releases_guard_rollbackrun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (
        (NEW.rollback_id, NEW.tenant_id, NEW.run_id) IS DISTINCT FROM
            (OLD.rollback_id, OLD.tenant_id, OLD.run_id)
        OR OLD.ended <> '' AND (NEW.ended, NEW.ended_at, NEW.choice, NEW.chosen_by_id, NEW.fork_id)
            IS DISTINCT FROM (OLD.ended, OLD.ended_at, OLD.choice, OLD.chosen_by_id, OLD.fork_id))
    THEN
        PERFORM releases_refuse('rollback run', 'what_became_of_a_run_stays');
    ELSIF NEW.ended NOT IN ('', 'ended_itself') AND NEW.choice = '' THEN
        PERFORM releases_refuse('rollback run', 'nothing_becomes_of_a_run_without_a_choice');
    ELSIF NEW.ended = '' AND NEW.choice = 'go_on' AND NEW.kind = 'forward_only' THEN
        PERFORM releases_refuse('rollback run', 'a_forward_only_run_gets_another_choice');
    ELSIF NEW.choice <> '' AND (TG_OP = 'INSERT' OR (NEW.choice, NEW.chosen_by_id)
            IS DISTINCT FROM (OLD.choice, OLD.chosen_by_id))
        AND NOT (NEW.chosen_by_id IS NULL AND EXISTS (SELECT FROM releases_rollback
            WHERE id = NEW.rollback_id AND choices ->> NEW.kind = NEW.choice))
        AND NOT EXISTS (SELECT FROM releases_rollbackchoice WHERE of_id = NEW.id
            AND choice = NEW.choice AND user_id = NEW.chosen_by_id)
    THEN
        PERFORM releases_refuse('rollback run', 'a_person_chooses_what_becomes_of_a_run');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rollback_run_moves_by_rule BEFORE INSERT OR UPDATE ON releases_rollbackrun
    FOR EACH ROW EXECUTE FUNCTION releases_guard_rollbackrun();

-- A run is in one unfinished plan, saved or of a rollback. The lock is the one that drafting a plan
-- holds for its tenant; whoever comes second finds the row of the first.
CREATE FUNCTION releases_hold_for_rollback() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1263553614, NEW.tenant_id::int);
    IF EXISTS (SELECT FROM execution_planitem WHERE run_id = NEW.run_id AND holds)
        OR EXISTS (SELECT FROM releases_rollbackrun
            WHERE run_id = NEW.run_id AND holds AND rollback_id <> NEW.rollback_id)
    THEN
        NEW.holds := false;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rollback_run_is_in_one_plan BEFORE INSERT OR UPDATE OF holds ON releases_rollbackrun
    FOR EACH ROW WHEN (NEW.holds) EXECUTE FUNCTION releases_hold_for_rollback();

-- No row, as for a run that another saved plan has: whoever drafts looks which of its rows are there.
CREATE FUNCTION releases_keep_from_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1263553614, (SELECT tenant_id::int FROM execution_plan
        WHERE id = NEW.plan_id));
    IF EXISTS (SELECT FROM releases_rollbackrun WHERE run_id = NEW.run_id AND holds) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER plan_item_is_of_no_rollback BEFORE INSERT ON execution_planitem
    FOR EACH ROW WHEN (NEW.holds) EXECUTE FUNCTION releases_keep_from_plan();

-- An effect is signed off once, and as the ledger has it: nobody accepts what nobody knows.
CREATE FUNCTION releases_guard_effect() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its reconciliation_action;
BEGIN
    SELECT * INTO its FROM reconciliation_action WHERE id = NEW.action_id;
    IF TG_OP = 'INSERT' THEN
        IF NEW.signed_off <> '' OR its.tenant_id IS DISTINCT FROM NEW.tenant_id THEN
            PERFORM releases_refuse('effect', 'an_effect_comes_open_to_the_board');
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.signed_off <> '' OR (NEW.rollback_id, NEW.tenant_id, NEW.action_id)
        IS DISTINCT FROM (OLD.rollback_id, OLD.tenant_id, OLD.action_id)
    THEN
        PERFORM releases_refuse('effect', 'an_effect_is_signed_off_once');
    ELSIF NEW.signed_off = '' THEN
        RETURN NEW;
    ELSIF NOT EXISTS (SELECT FROM releases_rollback WHERE id = NEW.rollback_id
        AND phase IN ('reconciling', 'releasing', 'closing'))
    THEN
        PERFORM releases_refuse('effect', 'an_effect_is_signed_off_from_the_fourth_phase_on');
    ELSIF its.stands = 'proposed' AND NEW.signed_off = 'reconciled'
        AND NOT EXISTS (SELECT FROM reconciliation_attempt WHERE action_id = its.id)
        AND NOT EXISTS (SELECT FROM approvals_approvalrequest
            WHERE action_id = its.id AND state IN ('open', 'approved'))
        AND EXISTS (SELECT FROM releases_rollbackrun
            WHERE rollback_id = NEW.rollback_id AND run_id = its.run_id AND ended = 'waits')
    THEN
        -- Never sent, and its run waits: whoever lets that go on is asked anew.
        RETURN NEW;
    ELSIF its.stands <> 'settled' THEN
        PERFORM releases_refuse('effect', 'nobody_signs_off_what_is_not_known');
    ELSIF NEW.signed_off = 'reconciled' AND its.outcome NOT IN ('did_not_happen', 'refused')
        OR NEW.signed_off = 'compensated' AND NOT EXISTS (SELECT FROM reconciliation_action
            WHERE compensates_id = its.id AND outcome = 'happened')
    THEN
        PERFORM releases_refuse('effect', 'an_effect_is_signed_off_as_the_ledger_has_it');
    ELSIF NEW.signed_off = 'accepted' AND NOT EXISTS (SELECT FROM releases_effectacceptance
        WHERE effect_id = NEW.id AND user_id = NEW.signed_by_id AND reason = NEW.reason)
    THEN
        PERFORM releases_refuse('effect', 'a_named_person_accepts_an_effect_with_a_reason');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER effect_is_signed_off_by_rule BEFORE INSERT OR UPDATE ON releases_outstandingeffect
    FOR EACH ROW EXECUTE FUNCTION releases_guard_effect();

-- As before, and a roll back is the third phase of a rollback: its order is what people said of that.
CREATE OR REPLACE FUNCTION releases_guard_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.ended <> '' OR NOT EXISTS (SELECT FROM releases_release
            WHERE id = NEW.release_id AND tenant_id = NEW.tenant_id) THEN
            PERFORM releases_refuse('move', 'a_move_begins_open_at_its_tenant');
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.ended <> '' OR (NEW.id, NEW.release_id, NEW.tenant_id, NEW.number, NEW.kind, NEW.place,
        NEW.share, NEW.share_of_critical, NEW.shown, NEW.digest, NEW.beside, NEW.why,
        NEW.needs_second, NEW.proposed_by_id, NEW.actor, NEW.proposed_at, NEW.expires_at)
        IS DISTINCT FROM (OLD.id, OLD.release_id, OLD.tenant_id, OLD.number, OLD.kind, OLD.place,
        OLD.share, OLD.share_of_critical, OLD.shown, OLD.digest, OLD.beside, OLD.why,
        OLD.needs_second, OLD.proposed_by_id, OLD.actor, OLD.proposed_at, OLD.expires_at)
    THEN
        PERFORM releases_refuse('move', 'a_move_stays_what_was_shown');
    END IF;
    IF NEW.ended = 'made' AND NEW.kind = 'roll_back' THEN
        IF NOT EXISTS (SELECT FROM releases_rollback
            WHERE release_id = NEW.release_id AND phase = 'restoring' AND ended = ''
              AND started_by_id IS NOT DISTINCT FROM NEW.made_by_id) THEN
            PERFORM releases_refuse('move', 'a_roll_back_is_the_third_phase_of_a_rollback');
        END IF;
    ELSIF NEW.ended = 'made' AND NOT (NEW.kind = 'stop' AND NEW.proposed_by_id IS NULL) THEN
        IF NOT EXISTS (SELECT FROM releases_moveorder WHERE move_id = NEW.id AND said = 'make'
            AND user_id = NEW.made_by_id AND digest = NEW.digest) THEN
            PERFORM releases_refuse('move', 'a_move_is_made_on_the_word_of_a_person');
        ELSIF NEW.needs_second AND NOT EXISTS (SELECT FROM releases_moveorder
            WHERE move_id = NEW.id AND said = 'second' AND user_id <> NEW.made_by_id
              AND digest = NEW.digest) THEN
            PERFORM releases_refuse('move', 'two_people_make_what_needs_a_second');
        ELSIF NEW.expires_at <= clock_timestamp() THEN
            PERFORM releases_refuse('move', 'an_expired_move_is_not_made');
        END IF;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER rollback_is_kept BEFORE DELETE ON releases_rollback
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER rollback_run_is_kept BEFORE DELETE ON releases_rollbackrun
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER effect_is_kept BEFORE DELETE ON releases_outstandingeffect
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER rollback_order_is_kept BEFORE UPDATE OR DELETE ON releases_rollbackorder
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER rollback_choice_is_kept BEFORE UPDATE OR DELETE ON releases_rollbackchoice
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER acceptance_is_kept BEFORE UPDATE OR DELETE ON releases_effectacceptance
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
-- split
DROP TRIGGER acceptance_is_kept ON releases_effectacceptance;
DROP TRIGGER rollback_choice_is_kept ON releases_rollbackchoice;
DROP TRIGGER rollback_order_is_kept ON releases_rollbackorder;
DROP TRIGGER effect_is_kept ON releases_outstandingeffect;
DROP TRIGGER rollback_run_is_kept ON releases_rollbackrun;
DROP TRIGGER rollback_is_kept ON releases_rollback;
DROP TRIGGER effect_is_signed_off_by_rule ON releases_outstandingeffect;
DROP FUNCTION releases_guard_effect();
DROP TRIGGER plan_item_is_of_no_rollback ON execution_planitem;
DROP FUNCTION releases_keep_from_plan();
DROP TRIGGER rollback_run_is_in_one_plan ON releases_rollbackrun;
DROP FUNCTION releases_hold_for_rollback();
DROP TRIGGER rollback_run_moves_by_rule ON releases_rollbackrun;
DROP FUNCTION releases_guard_rollbackrun();
DROP TRIGGER rollback_that_ended_lets_go ON releases_rollback;
DROP FUNCTION releases_let_runs_of_rollback_go();
DROP TRIGGER rollback_moves_by_rule ON releases_rollback;
DROP FUNCTION releases_guard_rollback();
