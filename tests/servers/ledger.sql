-- The books of a shop, as a second database that has nothing to do with ours.
CREATE TABLE purchase (
    id text PRIMARY KEY,
    paid bigint NOT NULL,
    refunded bigint NOT NULL DEFAULT 0,
    CONSTRAINT nobody_gets_back_more_than_they_paid CHECK (refunded <= paid)
);

CREATE TABLE entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action_id uuid NOT NULL,
    key text NOT NULL,
    purchase text NOT NULL REFERENCES purchase,
    account text NOT NULL,
    cents bigint NOT NULL
);

CREATE FUNCTION books_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(cents) FROM entry WHERE action_id = NEW.action_id) <> 0 THEN
        RAISE EXCEPTION 'the books do not balance';
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER books_balance AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION books_balance();
