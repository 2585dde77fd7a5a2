SELECT kedge_close('releases_release', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');
SELECT kedge_close('releases_move', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');
SELECT kedge_close('releases_moveorder', 'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');

CREATE FUNCTION releases_refuse(what text, broken text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% violates check constraint "%"', what, broken
        USING ERRCODE = 'check_violation', CONSTRAINT = broken;
END $$;

-- What people are asked stays what it is; it is made on the word of a person who posted back exactly
-- its digest, and of a second one where that is asked for. What only stops needs nobody.
CREATE FUNCTION releases_guard_move() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF NEW.ended = 'made' AND NOT (NEW.kind IN ('stop', 'roll_back') AND NEW.proposed_by_id IS NULL)
    THEN
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

CREATE TRIGGER move_stays BEFORE INSERT OR UPDATE ON releases_move
    FOR EACH ROW EXECUTE FUNCTION releases_guard_move();

-- A release stands where its last move led.
CREATE FUNCTION releases_guard_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF (NEW.place, NEW.share, NEW.last_move) <> ('new', 0, 0) THEN
            PERFORM releases_refuse('release', 'a_release_begins_at_the_beginning');
        ELSIF EXISTS (SELECT FROM checkpoints_combo WHERE id IN (NEW.candidate_id, NEW.stable_id)
                AND task_type <> NEW.task_type) THEN
            PERFORM releases_refuse('release', 'a_release_is_among_combos_of_its_task');
        END IF;
        RETURN NEW;
    END IF;
    IF (NEW.id, NEW.tenant_id, NEW.number, NEW.task_type, NEW.candidate_id, NEW.stable_id,
        NEW.policy, NEW.policy_digest, NEW.why, NEW.begun_by_id, NEW.begun_at, NEW.salt)
        IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.number, OLD.task_type, OLD.candidate_id,
        OLD.stable_id, OLD.policy, OLD.policy_digest, OLD.why, OLD.begun_by_id, OLD.begun_at,
        OLD.salt)
    THEN
        PERFORM releases_refuse('release', 'a_release_stays_what_it_is');
    ELSIF (NEW.place, NEW.share, NEW.share_of_critical, NEW.is_frozen) IS DISTINCT FROM
        (OLD.place, OLD.share, OLD.share_of_critical, OLD.is_frozen)
        AND NEW.last_move <= OLD.last_move
        OR NEW.last_move <> OLD.last_move AND NOT EXISTS (SELECT FROM releases_move
            WHERE release_id = NEW.id AND number = NEW.last_move AND ended = 'made'
              AND (place, share, share_of_critical)
                = (NEW.place, NEW.share, NEW.share_of_critical))
    THEN
        PERFORM releases_refuse('release', 'a_release_stands_where_its_last_move_led');
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER release_moves BEFORE INSERT OR UPDATE ON releases_release
    FOR EACH ROW EXECUTE FUNCTION releases_guard_release();

-- Nobody sends traffic anywhere but by a release.
CREATE FUNCTION releases_guard_route() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.candidate_id IS NOT NULL AND NOT EXISTS (SELECT FROM releases_release
        WHERE tenant_id = NEW.tenant_id AND task_type = NEW.task_type AND place = 'canary'
          AND (candidate_id, share, share_of_critical, salt)
            = (NEW.candidate_id, NEW.share, NEW.share_of_critical, NEW.salt))
        OR TG_OP = 'UPDATE' AND NEW.stable_id <> OLD.stable_id AND NOT EXISTS (
        SELECT FROM releases_release
         WHERE tenant_id = NEW.tenant_id AND task_type = NEW.task_type
           AND (place = 'stable' AND (candidate_id, stable_id) = (NEW.stable_id, OLD.stable_id)
             OR place = 'stopped' AND (stable_id, candidate_id) = (NEW.stable_id, OLD.stable_id)))
    THEN
        PERFORM releases_refuse('route', 'a_route_follows_its_release');
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER route_follows_its_release BEFORE INSERT OR UPDATE ON checkpoints_route
    FOR EACH ROW EXECUTE FUNCTION releases_guard_route();

CREATE FUNCTION releases_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM releases_refuse(TG_TABLE_NAME, 'what_was_released_stays_on_record');
    RETURN NULL;
END $$;

CREATE TRIGGER release_is_kept BEFORE DELETE ON releases_release
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER move_is_kept BEFORE DELETE ON releases_move
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
CREATE TRIGGER order_is_kept BEFORE UPDATE OR DELETE ON releases_moveorder
    FOR EACH ROW EXECUTE FUNCTION releases_refuse_change();
-- split
DROP TRIGGER order_is_kept ON releases_moveorder;
DROP TRIGGER move_is_kept ON releases_move;
DROP TRIGGER release_is_kept ON releases_release;
DROP TRIGGER route_follows_its_release ON checkpoints_route;
DROP TRIGGER release_moves ON releases_release;
DROP TRIGGER move_stays ON releases_move;
DROP FUNCTION releases_refuse_change();
DROP FUNCTION releases_guard_route();
DROP FUNCTION releases_guard_release();
DROP FUNCTION releases_guard_move();
DROP FUNCTION releases_refuse(text, text);
